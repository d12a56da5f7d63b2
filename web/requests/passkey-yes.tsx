import { Checkbox } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { usePasskeyYes } from './use-passkey-yes.ts';

/** Shown beside every Approve button: whether a passkey confirms the approval. */
export const PasskeyYes = () => {
  const { hasPasskey, isRequired, isOn, choose } = usePasskeyYes();
  if (isRequired) {
    return (
      <p className="small text-2">
        {hasPasskey ? (
          'Your browser asks for your passkey.'
        ) : (
          <>
            This workspace asks for a passkey to approve. <Link to="/settings/profile">Add one in your profile</Link>.
          </>
        )}
      </p>
    );
  }
  return (
    hasPasskey && (
      <Checkbox
        size="xs"
        label="Confirm with my passkey"
        checked={isOn}
        onChange={(event) => choose(event.currentTarget.checked)}
      />
    )
  );
};
