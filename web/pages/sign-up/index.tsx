import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { app } from '#web/api.ts';
import { EntryCard, EntryFault } from '#web/parts/entry-card.tsx';
import { EmailField, OutsideForm, PasswordField, TryForm } from '#web/parts/entry-fields.tsx';
import { OtherAddress } from '#web/parts/other-address.tsx';
import { queries } from '#web/queries.ts';

/** Creates the first owner. */
const SignUp = () => {
  const { data: entrance, error, refetch } = useQuery(queries.entrance);
  const isTaken = entrance?.empty === false;
  useEffect(() => {
    if (isTaken) location.replace('/sign-in');
  }, [isTaken]);
  if (error) {
    return (
      <EntryFault card="Welcome to Posthorn" fault={error} title="The page could not be loaded" onRetry={refetch} />
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
      <OtherAddress address={entrance.address} />
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
    <OutsideForm to={() => `/sign-in/begin?code=${encodeURIComponent(code.trim())}`}>
      {needsCode && <CodeField code={code} onChange={setCode} />}
    </OutsideForm>
  );
};

const Owner = ({ needsCode }: { needsCode: boolean }) => {
  const [code, setCode] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [workspace, setWorkspace] = useState('My workspace');
  const enter = () =>
    app.signUp({ email: email.trim(), password, workspace: workspace.trim() || 'My workspace', code });
  return (
    <TryForm act="Sign up" refused="Not signed up" next="/" enter={enter}>
      {needsCode && <CodeField code={code} onChange={setCode} />}
      <EmailField value={email} onChange={setEmail} />
      <PasswordField value={password} onChange={setPassword} help="At least 8 characters." isNew />
      <TextInput
        label="Name of the workspace"
        description="Accounts, posts and members belong to it. You can change it later."
        autoComplete="off"
        maxLength={100}
        value={workspace}
        onChange={(event) => setWorkspace(event.currentTarget.value)}
      />
    </TryForm>
  );
};

export default SignUp;
