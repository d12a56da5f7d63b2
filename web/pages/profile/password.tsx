import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { Banner } from '#web/parts/banner.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PasswordField } from '#web/parts/password-field.tsx';
import { Section } from '#web/parts/section.tsx';
import styles from '#web/parts/setting.module.css';
import { showToast } from '#web/parts/toasts.tsx';

export const Password = () => {
  const { user } = useSession();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.changePassword({ current, next }),
    onSuccess: () => {
      setCurrent('');
      setNext('');
      showToast({
        text: user.hasPassword ? 'The password is changed. Other browsers are signed out.' : 'The password is set.',
      });
      void client.invalidateQueries({ queryKey: keys.session });
      void client.invalidateQueries({ queryKey: keys.sessions });
    },
  });
  const ofCurrent = fieldFault(error, 'current', 'The current password');
  const ofNext = fieldFault(error, 'next', 'The new password');
  return (
    <Section title="Password">
      <form
        className={styles.fields}
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        {!user.hasPassword && (
          <Banner tone="blue" title="You have no password yet">
            You signed in with a one-time link. Set a password to be able to sign in again.
          </Banner>
        )}
        <input hidden readOnly autoComplete="username" value={user.email} />
        {(user.asksPassword || ofCurrent) && (
          <PasswordField label="Current password" value={current} error={ofCurrent} onChange={setCurrent} />
        )}
        <PasswordField
          label="New password"
          help="At least 8 characters. Other browsers are signed out, and MCP clients sign in again."
          value={next}
          error={ofNext}
          onChange={setNext}
          isNew
        />
        {error && !ofCurrent && !ofNext && <FaultBanner fault={error} title="The password was not changed" />}
        <div className="flow">
          <Button type="submit" loading={isPending}>
            {user.hasPassword ? 'Change the password' : 'Set a password'}
          </Button>
        </div>
      </form>
    </Section>
  );
};
