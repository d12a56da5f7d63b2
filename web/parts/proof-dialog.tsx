import { useState } from 'react';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { ProofField, toProof, useAsks } from './proof-field.tsx';

/** Asks people to prove who they are, so that a stolen session alone cannot do it. */
export const ProofDialog = ({
  opened,
  onClose,
  onConfirm,
  children,
  ...dialog
}: Omit<React.ComponentProps<typeof ConfirmDialog>, 'onConfirm'> & {
  onConfirm: (proof: ReturnType<typeof toProof>) => Promise<unknown>;
}) => {
  const [value, setValue] = useState('');
  const asks = useAsks(opened);
  const close = () => {
    setValue('');
    onClose();
  };
  return (
    <ConfirmDialog {...dialog} opened={opened} onClose={close} onConfirm={() => onConfirm(toProof(asks, value))}>
      <p>{children}</p>
      <ProofField asks={asks} value={value} onChange={setValue} error={undefined} />
    </ConfirmDialog>
  );
};
