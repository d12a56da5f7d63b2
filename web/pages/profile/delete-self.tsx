import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { app, leaveSignedOut } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { queries } from '#web/base/queries.ts';
import { useSession } from '#web/base/session.ts';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { type Asks, ProofField, proofFault, toProof } from '#web/parts/proof-field.tsx';
import { saveFile } from '#web/parts/save-file.ts';
import { Section } from '#web/parts/section.tsx';
import styles from '#web/parts/setting.module.css';
import { showFault } from '#web/parts/toasts.tsx';

export const DeleteSelf = () => {
  const { user } = useSession();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Section title="Delete your account">
      {user.operator ? (
        <p className="small text-2">You set Posthorn up here, so your account stays: nobody else could run it.</p>
      ) : (
        <div className={styles.fields}>
          <p className="small text-2">
            Your sign-in, name, address, tokens, chats and factors are deleted for good. Posts, comments and decisions
            stay in their workspaces, by “A former member”. The audit log keeps its entries for their usual time.
          </p>
          {isOpen ? (
            <Form onClose={() => setIsOpen(false)} />
          ) : (
            <div className="flow">
              <SaveData />
              <Button variant="danger" onClick={() => setIsOpen(true)}>
                Delete my account
              </Button>
            </div>
          )}
        </div>
      )}
    </Section>
  );
};

const SaveData = () => {
  const { mutate, isPending } = useMutation({
    mutationFn: () => app.exportSelf(),
    onSuccess: (data) =>
      saveFile(new Blob([JSON.stringify(data, null, 2)], { type: 'application/json' }), 'posthorn-profile.json'),
    onError: showFault,
  });
  return (
    <Button loading={isPending} onClick={() => mutate()}>
      Export my data
    </Button>
  );
};

const Form = ({ onClose }: { onClose: () => void }) => {
  const query = useQuery(queries.factors);
  return (
    <Loaded query={query} title="The form could not be loaded" rows={1} height={60}>
      {({ asks }) => <ProofForm asks={asks} onClose={onClose} />}
    </Loaded>
  );
};

const ProofForm = ({ asks, onClose }: { asks: Asks; onClose: () => void }) => {
  const { user } = useSession();
  const [email, setEmail] = useState('');
  const [proof, setProof] = useState('');
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.deleteSelf({ email, ...toProof(asks, proof) }),
    onSuccess: leaveSignedOut,
  });
  const ofEmail = fieldFault(error, 'email', 'The address');
  return (
    <form
      className={styles.fields}
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <TextInput
        label={`Type ${user.email} to confirm`}
        autoComplete="off"
        required
        withAsterisk={false}
        value={email}
        error={ofEmail}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <ProofField asks={asks} value={proof} onChange={setProof} error={error} purpose=", to delete your account" />
      {error && !ofEmail && !proofFault(error) && <FaultBanner fault={error} title="Your account was not deleted" />}
      <div className="flow">
        <Button type="submit" variant="danger-filled" loading={isPending}>
          Delete my account for good
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </div>
    </form>
  );
};
