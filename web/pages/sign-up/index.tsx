import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Sprout } from 'lucide-react';
import { useEffect, useState } from 'react';
import { app } from '#web/base/api.ts';
import { queries } from '#web/base/queries.ts';
import { EntryFault, EntryLoading } from '#web/parts/entry-card.tsx';
import { EmailField, OutsideForm, TryForm } from '#web/parts/entry-fields.tsx';
import { Mark } from '#web/parts/mark.tsx';
import { OtherAddress } from '#web/parts/other-address.tsx';
import { PasswordField } from '#web/parts/password-field.tsx';
import { RestoreCard } from './restore-card.tsx';
import styles from './sign-up.module.css';

/** An installation without users: create the first owner, or restore a backup. */
const SignUp = () => {
  const { data: entrance, error, refetch } = useQuery(queries.entrance);
  const [code, setCode] = useState('');
  const isTaken = entrance?.empty === false;
  useEffect(() => {
    if (isTaken) location.replace('/sign-in');
  }, [isTaken]);
  useEffect(() => {
    document.title = 'Welcome · Posthorn';
  }, []);
  if (error) {
    return <EntryFault card="Welcome" fault={error} title="The page could not be loaded" onRetry={refetch} />;
  }
  if (entrance === undefined || isTaken) return <EntryLoading card="Welcome" />;
  return (
    <main className={styles.page}>
      <Mark size={44} />
      <h1 className={styles.title}>Welcome. This place is empty.</h1>
      <p className={styles.lead}>Begin anew, or bring back what you had.</p>
      <OtherAddress address={entrance.address} />
      {entrance.needsCode && <CodeField code={code} onChange={setCode} />}
      <div className={styles.cards}>
        <section className={`card ${styles.card}`} aria-labelledby="begin-anew">
          <span className={styles.tile}>
            <Sprout size={20} aria-hidden="true" />
          </span>
          <h2 id="begin-anew" className={styles.heading}>
            Begin anew
          </h2>
          <p className={styles.text}>
            {entrance.outside
              ? 'You become the owner, and your organisation signs you in.'
              : 'You become the owner. Then connect a network, or try the sandbox.'}
          </p>
          {entrance.outside ? (
            <OutsideForm to={() => `/sign-in/begin?code=${encodeURIComponent(code.trim())}`} />
          ) : (
            <Owner code={code} />
          )}
        </section>
        <RestoreCard code={code} needsCode={entrance.needsCode} />
      </div>
    </main>
  );
};

/** Above both cards, because both need it. */
const CodeField = ({ code, onChange }: { code: string; onChange: (code: string) => void }) => (
  <TextInput
    className={styles.code}
    label="Code"
    description="Posthorn printed it when it started. Whoever can read it may become the owner."
    autoComplete="one-time-code"
    withAsterisk={false}
    value={code}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

const Owner = ({ code }: { code: string }) => {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [workspace, setWorkspace] = useState('My workspace');
  const enter = () =>
    app.signUp({ email: email.trim(), password, workspace: workspace.trim() || 'My workspace', code });
  return (
    <TryForm act="Sign up" refused="Not signed up" next="/" enter={enter}>
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
