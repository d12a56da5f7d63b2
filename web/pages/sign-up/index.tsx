import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { app } from '#web/api.ts';
import { EntryCard, EntryForm } from '#web/parts/entry-card.tsx';
import { FaultBanner } from '#web/parts/fault.tsx';
import { TryFault } from '#web/parts/try-fault.tsx';
import { queries } from '#web/queries.ts';

/** The first owner, while nobody is here. */
const SignUp = () => {
  const { data: entrance, error, refetch } = useQuery(queries.entrance);
  const isTaken = entrance?.empty === false;
  useEffect(() => {
    if (isTaken) location.replace('/sign-in');
  }, [isTaken]);
  if (error) {
    return (
      <EntryCard title="Welcome to Posthorn">
        <FaultBanner fault={error} title="The page could not be loaded" onRetry={refetch} />
      </EntryCard>
    );
  }
  if (entrance === undefined || isTaken) return null;
  return (
    <EntryCard
      title="Welcome to Posthorn"
      lead={
        entrance.outside
          ? 'Nobody is here yet. You become the owner, and your organisation signs you in.'
          : 'Nobody is here yet. You become the owner.'
      }
    >
      {entrance.outside ? <Outside needsCode={entrance.needsCode} /> : <Owner needsCode={entrance.needsCode} />}
    </EntryCard>
  );
};

const CodeField = ({ code, onChange }: { code: string; onChange: (code: string) => void }) => (
  <TextInput
    label="Code"
    description="Posthorn printed it when it started. Whoever can read it may become the owner."
    autoComplete="one-time-code"
    required
    withAsterisk={false}
    value={code}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

const Outside = ({ needsCode }: { needsCode: boolean }) => {
  const [code, setCode] = useState('');
  return (
    <EntryForm onSubmit={() => location.assign(`/sign-in/begin?code=${encodeURIComponent(code.trim())}`)}>
      {needsCode && <CodeField code={code} onChange={setCode} />}
      <Button type="submit" variant="ink" size="lg">
        Continue
      </Button>
    </EntryForm>
  );
};

const Owner = ({ needsCode }: { needsCode: boolean }) => {
  const [code, setCode] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [workspace, setWorkspace] = useState('My workspace');
  const [running, setRunning] = useState(false);
  const [fault, setFault] = useState<unknown>();
  const submit = async () => {
    setRunning(true);
    setFault(undefined);
    try {
      await app.signUp({ email: email.trim(), password, workspace: workspace.trim() || 'My workspace', code });
      location.assign('/');
    } catch (error) {
      setFault(error);
      setRunning(false);
    }
  };
  return (
    <EntryForm onSubmit={submit}>
      {needsCode && <CodeField code={code} onChange={setCode} />}
      <TextInput
        label="E-mail address"
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordInput
        label="Password"
        description="At least 8 characters."
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={8}
        value={password}
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      <TextInput
        label="Name of the workspace"
        description="Accounts, posts and members belong to it. You can change it later."
        autoComplete="off"
        maxLength={100}
        value={workspace}
        onChange={(event) => setWorkspace(event.currentTarget.value)}
      />
      {fault !== undefined && <TryFault fault={fault} title="Not signed up" />}
      <Button type="submit" variant="ink" size="lg" loading={running}>
        Sign up
      </Button>
    </EntryForm>
  );
};

export default SignUp;
