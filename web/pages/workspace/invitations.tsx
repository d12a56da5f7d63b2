import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Invitation, NewInvitation } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { describeFailure, fieldFault } from '#web/base/faults.ts';
import { keys } from '#web/base/queries.ts';
import { type Role, usePermissions } from '#web/base/session.ts';
import { capitalize } from '#web/parts/capitalize.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { OneTimeSecret } from '#web/parts/one-time-secret.tsx';
import { Section } from '#web/parts/section.tsx';
import { showFault } from '#web/parts/toasts.tsx';
import { useFormDraft } from '#web/parts/use-form-draft.ts';
import { When } from '#web/parts/when.tsx';
import { RoleSelect } from './role-select.tsx';
import styles from './workspace.module.css';

export const Invitations = () => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.invitations,
    queryFn: ({ signal }) => app.listInvitations({ signal }),
  });
  const [fresh, setFresh] = useState<NewInvitation>();
  return (
    <Section title="Invitations">
      <div className={styles.gap}>
        <InviteForm onInvited={setFresh} />
        {fresh && (
          <OneTimeSecret
            title={`Invitation for ${fresh.email}`}
            label="invitation address"
            value={fresh.url}
            onStored={() => setFresh(undefined)}
          >
            {fresh.mailed
              ? 'It is on its way by mail, and you can pass it on yourself.'
              : 'Pass it on yourself: no mail is sent.'}{' '}
            It works once, within 7 days, for {fresh.email}.
          </OneTimeSecret>
        )}
        {error && <FaultBanner fault={error} title="The invitations could not be loaded" onRetry={refetch} />}
        {data && data.invitations.length > 0 && (
          <ul className="card" aria-label="Open invitations">
            {data.invitations.map((invitation) => (
              <InvitationRow key={invitation.id} invitation={invitation} />
            ))}
          </ul>
        )}
      </div>
    </Section>
  );
};

const InviteForm = ({ onInvited }: { onInvited: (invitation: NewInvitation) => void }) => {
  const { role: own } = usePermissions();
  const [email, setEmail] = useFormDraft('address to invite', '');
  const [role, setRole] = useFormDraft<Role>('role', 'editor');
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.invite({ email: email.trim(), role }),
    onSuccess: (invitation) => {
      onInvited(invitation);
      setEmail('');
      void client.invalidateQueries({ queryKey: keys.invitations });
    },
  });
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        if (email.trim() !== '') mutate();
      }}
    >
      <TextInput
        className={styles.grow}
        label="E-mail address"
        type="email"
        value={email}
        maxLength={254}
        autoComplete="off"
        error={error && (fieldFault(error, 'email', 'The address') ?? describeFailure(error))}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <RoleSelect label="Role" own={own} value={role} onChange={setRole} />
      <Button type="submit" loading={isPending} className={styles.beside}>
        Invite
      </Button>
    </form>
  );
};

const InvitationRow = ({ invitation: { id, email, role, expiresAt } }: { invitation: Invitation }) => {
  const client = useQueryClient();
  const { mutate, isPending } = useMutation({
    mutationFn: () => app.withdrawInvitation({ id }),
    onError: showFault,
    onSettled: () => client.invalidateQueries({ queryKey: keys.invitations }),
  });
  return (
    <li className={styles.row}>
      <span className={styles.text}>
        <span className={`one-line ${styles.name}`}>{email}</span>
        <span className="small text-3">
          {capitalize(role)}, until <When at={expiresAt} form="day" />
        </span>
      </span>
      <Button size="xs" variant="quiet" loading={isPending} onClick={() => mutate()} aria-label={`Withdraw ${email}`}>
        Withdraw
      </Button>
    </li>
  );
};
