import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { queries } from '#web/base/queries.ts';
import { EntryCard, EntryFault, EntryForm, EntryLoading } from '#web/parts/entry-card.tsx';
import { OutsideForm, TryForm } from '#web/parts/entry-fields.tsx';
import { PasswordField } from '#web/parts/password-field.tsx';

const tasks = {
  owner: 'You can do everything there.',
  admin: 'You manage accounts, webhooks and members there.',
  editor: 'You write posts and decide on requests there.',
  viewer: 'You see everything there, and change nothing.',
};

const Invitation = () => {
  const { token } = useParams({ strict: false }) as { token: string };
  const entrance = useQuery(queries.entrance);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => app.openInvitation({ token }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPosthornError(invitation.error, 'NotFound')) {
    return (
      <EntryCard
        title="This invitation does not work"
        lead="It was used, withdrawn or is older than 7 days. Ask the person who sent it for a new one."
      >
        <EntryForm onSubmit={() => location.assign('/')}>
          <Button type="submit">Go to Posthorn</Button>
        </EntryForm>
      </EntryCard>
    );
  }
  const error = invitation.error ?? entrance.error;
  if (error) {
    return (
      <EntryFault
        card="Invitation"
        fault={error}
        title="The invitation could not be loaded"
        onRetry={() => void (invitation.error ? invitation : entrance).refetch()}
      />
    );
  }
  if (invitation.data === undefined || entrance.data === undefined) return <EntryLoading card="Invitation" />;
  const { email, workspace, role, isTheirs } = invitation.data;
  const { outside, signedInAs } = entrance.data;
  const isSomebodyElse = signedInAs !== undefined && !isTheirs;
  return (
    <EntryCard
      title={
        <>
          Join <bdi>{workspace}</bdi>
        </>
      }
      lead={
        <>
          <strong>{email}</strong> is invited as {role}. {tasks[role]}
        </>
      }
      foot={isSomebodyElse && `This browser is signed in as ${signedInAs}. Joining signs it in as ${email}.`}
    >
      {outside && !isTheirs ? (
        <OutsideForm
          to={() => `/sign-in/begin?next=${encodeURIComponent(`/invitations/${encodeURIComponent(token)}`)}`}
        >
          <p className="text-2">Your organisation signs you in first.</p>
        </OutsideForm>
      ) : (
        <Join token={token} email={email} asksPassword={!isTheirs} />
      )}
    </EntryCard>
  );
};

const Join = ({ token, email, asksPassword }: { token: string; email: string; asksPassword: boolean }) => {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const enter = () => app.acceptInvitation({ token, ...(asksPassword && { name, password }) });
  return (
    <TryForm act="Join" refused="Not joined" next="/" enter={enter}>
      {asksPassword && (
        <>
          <input hidden readOnly autoComplete="username" value={email} />
          <TextInput
            label="Your name"
            description="The people you work with see it beside what you write and decide."
            autoComplete="name"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <PasswordField
            value={password}
            onChange={setPassword}
            help="The one you have here, or a new one of at least 8 characters if you have none yet."
          />
        </>
      )}
    </TryForm>
  );
};

export default Invitation;
