import { Checkbox, TextInput } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { NewToken } from '#generated/app-client';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { CopyButton } from '#web/parts/copy.tsx';
import styles from './api.module.css';

/** Shown once: the server stores only a fingerprint. */
export const SecretCard = ({ token: { name, token }, onStored }: { token: NewToken; onStored: () => void }) => {
  const card = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: focus each new token
  useEffect(() => {
    card.current?.focus();
    card.current?.scrollIntoView({ block: 'nearest' });
  }, [token]);
  return (
    <section ref={card} className={styles.secret} tabIndex={-1} aria-label="New token">
      <h2 className={styles.ready}>
        <KeyRound size={17} aria-hidden="true" />“{name}” is ready
      </h2>
      <p className="small">Copy it now. It is shown only this once; we keep a fingerprint, not the token.</p>
      <div className={styles.copy}>
        <TextInput
          className={styles.value}
          aria-label="Token"
          readOnly
          value={token}
          onFocus={(event) => event.currentTarget.select()}
        />
        <CopyButton value={token} label="Copy the token">
          Copy
        </CopyButton>
      </div>
      <Checkbox size="xs" label="I have stored it" onChange={onStored} checked={false} />
    </section>
  );
};

/** Confirms before the person leaves the page or closes the tab without storing the token. */
export const LeaveWarning = ({ isShown }: { isShown: boolean }) => {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: isShown,
    disabled: !isShown,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      opened={status === 'blocked'}
      onClose={() => reset?.()}
      title="Leave without storing the token?"
      act="Leave"
      kind="danger"
      onConfirm={async () => proceed?.()}
    >
      It is shown only this once. Without it, you have to revoke this token and create another.
    </ConfirmDialog>
  );
};
