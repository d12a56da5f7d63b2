import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Passkey } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { Banner } from './banner.tsx';
import { FaultBanner } from './fault-banner.tsx';
import { Loaded } from './loaded.tsx';
import { PasskeyFault } from './passkey-fault.tsx';
import { type Asks, ProofField, proofFault, toProof } from './proof-field.tsx';
import { Section } from './section.tsx';
import styles from './setting.module.css';
import { showToast } from './toasts.tsx';
import { useFormDraft } from './use-form-draft.ts';
import { When } from './when.tsx';

export const Passkeys = () => {
  const query = useQuery({ queryKey: keys.passkeys, queryFn: ({ signal }) => app.listPasskeys({ signal }) });
  return (
    <Section title="Passkeys" note="sign in with your device instead of a password">
      <Loaded query={query} title="The passkeys could not be loaded" rows={2} height={60}>
        {({ passkeys, unavailable, asks }) => (
          <>
            {unavailable && (
              <Banner tone="blue" title="Passkeys cannot work here">
                {unavailable}
              </Banner>
            )}
            {passkeys.length > 0 && (
              <ul aria-label="Passkeys" className={styles.passkeys}>
                {passkeys.map((passkey) => (
                  <PasskeyRow key={passkey.id} passkey={passkey} asks={asks} />
                ))}
              </ul>
            )}
            {!unavailable && <AddPasskey asks={asks} />}
          </>
        )}
      </Loaded>
    </Section>
  );
};

const AddPasskey = ({ asks }: { asks: Asks }) => {
  const [name, setName] = useFormDraft('name of the passkey', '');
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      const { options } = await app.beginPasskey(toProof(asks, password));
      const { startRegistration } = await import('@simplewebauthn/browser');
      const response = await startRegistration({ optionsJSON: options as never });
      return app.addPasskey({ name, response: { ...response } });
    },
    onSuccess: ({ name: added }) => {
      setName('');
      setPassword('');
      showToast({ text: `The passkey “${added}” is added.` });
      for (const queryKey of [keys.passkeys, keys.session]) void client.invalidateQueries({ queryKey });
    },
  });
  const ofPassword = proofFault(error);
  return (
    <form
      className={styles.fields}
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <TextInput
        label="Name of the passkey"
        description="Such as the device it is on."
        required
        withAsterisk={false}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <ProofField asks={asks} value={password} onChange={setPassword} error={error} />
      {error && !ofPassword && <PasskeyFault fault={error} title="The passkey was not added" />}
      <div className="flow">
        <Button type="submit" loading={isPending}>
          Add a passkey
        </Button>
      </div>
    </form>
  );
};

const PasskeyRow = ({
  passkey: { id, name, fingerprint, createdAt, lastUsedAt },
  asks,
}: {
  passkey: Passkey;
  asks: Asks;
}) => {
  const [isRemoving, setIsRemoving] = useState(false);
  const [password, setPassword] = useState('');
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: () => app.removePasskey({ id, ...toProof(asks, password) }),
    onSuccess: () => {
      showToast({ text: `The passkey “${name}” is removed.` });
      for (const queryKey of [keys.passkeys, keys.session]) void client.invalidateQueries({ queryKey });
    },
  });
  const ofPassword = proofFault(error);
  return (
    <li className={styles.setting}>
      <div className={styles.words}>
        <p dir="auto">{name}</p>
        <p className="small text-3">
          since <When at={createdAt} form="day" />
          {lastUsedAt && (
            <>
              , last used <When at={lastUsedAt} form="said" />
            </>
          )}
        </p>
        <p className="small text-3">
          Fingerprint <code className="number">{fingerprint}</code>
        </p>
        {isRemoving && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              mutate();
            }}
          >
            <ProofField
              asks={asks}
              value={password}
              onChange={setPassword}
              error={error}
              purpose={`, to remove “${name}”`}
            />
            {error && !ofPassword && <FaultBanner fault={error} title="The passkey was not removed" />}
            <div className="flow">
              <Button type="submit" size="xs" variant="danger" loading={isPending}>
                Remove
              </Button>
              <Button size="xs" onClick={() => setIsRemoving(false)}>
                Cancel
              </Button>
            </div>
          </form>
        )}
      </div>
      {!isRemoving && (
        <Button size="xs" onClick={() => setIsRemoving(true)} aria-label={`Remove ${name}`}>
          Remove
        </Button>
      )}
    </li>
  );
};
