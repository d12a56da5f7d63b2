import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { app } from '#web/api.ts';
import { ownPath } from '#web/own-path.ts';
import { Banner } from '#web/parts/banner.tsx';
import { EntryCard, EntryForm } from '#web/parts/entry-card.tsx';
import { FaultBanner } from '#web/parts/fault.tsx';
import { TryFault } from '#web/parts/try-fault.tsx';
import { usePageSearch } from '#web/parts/use-search.ts';
import { queries } from '#web/queries.ts';

/** What the outside provider, or Posthorn after it, refused. */
const refusals: Record<string, [title: string, text: string]> = {
  NotInvited: ['You are not a member here', 'Ask an admin of the workspace for an invitation to your address.'],
  NoAddress: ['Your address is not confirmed', 'Confirm your e-mail address at your organisation, then sign in again.'],
  NeedsCode: ['The first owner needs a code', 'Posthorn printed it when it started. Type it in on the next page.'],
  NotFinished: ['The sign-in was not finished', 'It took too long, or began in another browser. Try again.'],
  Unreachable: ['Your organisation does not answer', 'Its sign-in page cannot be reached. Try again later.'],
};

const SignIn = () => {
  const [search] = usePageSearch<'next' | 'refused'>();
  const next = ownPath(search.next);
  const { data: entrance, error, refetch } = useQuery(queries.entrance);
  const refused = search.refused === undefined ? undefined : (refusals[search.refused] ?? refusals.NotFinished);
  const elsewhere = entrance?.signedInAs ? next : entrance?.empty ? '/sign-up' : undefined;
  const away = refused ? undefined : elsewhere;
  useEffect(() => {
    if (away !== undefined) location.replace(away);
  }, [away]);
  if (error) {
    return (
      <EntryCard title="Sign in">
        <FaultBanner fault={error} title="The page could not be loaded" onRetry={refetch} />
      </EntryCard>
    );
  }
  if (entrance === undefined || away !== undefined) return null;
  return (
    <EntryCard title="Sign in" foot="New here? Ask an admin of the workspace for an invitation.">
      {refused && (
        <div style={{ marginTop: 16 }}>
          <Banner tone="orange" title={refused[0]}>
            {refused[1]}
          </Banner>
        </div>
      )}
      {entrance.outside ? (
        <EntryForm onSubmit={() => location.assign(entrance.empty ? '/sign-up' : beginPath(next))}>
          <p className="text-2">Your organisation signs you in.</p>
          <Button type="submit" variant="ink" size="lg">
            Continue
          </Button>
        </EntryForm>
      ) : (
        <Password next={next} />
      )}
    </EntryCard>
  );
};

const beginPath = (next: string) => `/sign-in/begin?next=${encodeURIComponent(next)}`;

const Password = ({ next }: { next: string }) => {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [running, setRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const submit = async () => {
    setRunning(true);
    setFault(undefined);
    try {
      await app.signIn({ email: email.trim(), password });
      location.assign(next);
    } catch (error) {
      setFault(error);
      setRunning(false);
    }
  };
  return (
    <EntryForm onSubmit={submit}>
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {fault !== undefined && <TryFault fault={fault} title="Not signed in" />}
      <Button type="submit" variant="ink" size="lg" loading={running}>
        Sign in
      </Button>
      <Link to="/forgot-password">Forgot your password?</Link>
    </EntryForm>
  );
};

export default SignIn;
