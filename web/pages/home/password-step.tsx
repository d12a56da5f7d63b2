import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { keys, queries } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PasswordField } from '#web/parts/password-field.tsx';
import { Section } from '#web/parts/section.tsx';
import { showToast } from '#web/parts/toasts.tsx';
import styles from './password-step.module.css';

const storeKey = (userId: string) => `posthorn-password-later ${userId}`;

/** Whoever came by the start link has no other way to sign in again. */
export const PasswordStep = () => {
  const { user } = useSession();
  const entrance = useQuery(queries.entrance).data;
  const [isLater, setIsLater] = useState(() => localStorage.getItem(storeKey(user.id)) !== null);
  const [next, setNext] = useState('');
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.changePassword({ current: '', next }),
    onSuccess: () => {
      showToast({ text: 'The password is set.' });
      void client.invalidateQueries({ queryKey: keys.session });
    },
  });
  if (user.hasPassword || isLater || entrance === undefined || entrance.outside) return null;
  const ofNext = fieldFault(error, 'next', 'The password');
  const later = () => {
    localStorage.setItem(storeKey(user.id), '1');
    setIsLater(true);
  };
  return (
    <Section title="Choose a password" card>
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          mutate();
        }}
      >
        <p className="text-2">
          You came by the start link, which works once. With a password you can sign in as {user.email} anywhere.
        </p>
        <input hidden readOnly autoComplete="username" value={user.email} />
        <div className={styles.fields}>
          <PasswordField
            className={styles.field}
            help="At least 8 characters."
            value={next}
            error={ofNext}
            onChange={setNext}
            isNew
          />
          <div className={styles.buttons}>
            <Button type="submit" variant="ink" loading={isPending}>
              Set the password
            </Button>
            <Button variant="quiet" onClick={later}>
              Not now
            </Button>
          </div>
        </div>
        {error && !ofNext && <FaultBanner fault={error} title="The password was not set" />}
      </form>
    </Section>
  );
};
