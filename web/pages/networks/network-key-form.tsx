import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from '@tanstack/react-router';
import { useState } from 'react';
import type { NetworkKeys } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { keys as queryKeys } from '#web/base/queries.ts';
import { CopyButton } from '#web/parts/copy.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { NetworkBadge } from '#web/parts/network-badge.tsx';
import { ProofDialog } from '#web/parts/proof-dialog.tsx';
import { ProofField, proofFault, toProof, useAsks } from '#web/parts/proof-field.tsx';
import { When } from '#web/parts/when.tsx';
import styles from './networks.module.css';

export const NetworkKeyForm = ({ keys }: { keys: NetworkKeys }) => {
  const { network, provider, state } = keys;
  const { hash } = useLocation();
  const [isOpen, setIsOpen] = useState(hash === network);
  const [isRemoving, setIsRemoving] = useState(false);
  const client = useQueryClient();
  const refresh = async () => {
    await client.invalidateQueries({ queryKey: queryKeys.networkKeys });
    await client.invalidateQueries({ queryKey: queryKeys.providers });
  };
  return (
    <li id={network} className={styles.network}>
      <div className={styles.head}>
        {/* Hidden from screen readers: the badge only knows the names of offered networks. */}
        <span aria-hidden="true">
          <NetworkBadge network={network} size={20} />
        </span>
        <span className={styles.name}>{provider}</span>
        <span className={styles.state}>
          <KeyState keys={keys} />
        </span>
        {state === 'Entered' && (
          <Button size="xs" renderRoot={(props) => <Link to="/connect/$network" params={{ network }} {...props} />}>
            {keys.workedAt ? 'Connect an account' : 'Test by signing in'}
          </Button>
        )}
        {state !== 'Environment' && (
          <Button size="xs" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
            {state === 'Entered' ? 'Replace' : 'Enter'}
            <span className="hidden"> the credentials of {provider}</span>
          </Button>
        )}
        {state === 'Entered' && (
          <Button size="xs" variant="quiet" onClick={() => setIsRemoving(true)}>
            Remove<span className="hidden"> the credentials of {provider}</span>
          </Button>
        )}
      </div>
      {isOpen && state !== 'Environment' && (
        <Fields
          keys={keys}
          onSaved={async () => {
            await refresh();
            setIsOpen(false);
          }}
        />
      )}
      <ProofDialog
        opened={isRemoving}
        onClose={() => setIsRemoving(false)}
        title={`Remove the credentials of ${provider}?`}
        act="Remove"
        kind="danger"
        onConfirm={async (proof) => {
          await app.removeNetworkKeys({ network, ...proof });
          await refresh();
        }}
      >
        Accounts that are connected with them can no longer publish when their access has to be renewed.
      </ProofDialog>
    </li>
  );
};

const KeyState = ({ keys: { state, settings, updatedAt, workedAt } }: { keys: NetworkKeys }) => {
  if (state === 'Environment') return <>Set in the environment of the server, which wins</>;
  if (state === 'Missing') return <>Needs keys: {joinWithAnd(settings)}</>;
  if (workedAt) return <>Works: somebody signed in with them</>;
  return <>Entered {updatedAt && <When at={updatedAt} form="said" />}, not tested by a sign-in yet</>;
};

const Fields = ({ keys, onSaved }: { keys: NetworkKeys; onSaved: () => Promise<void> }) => {
  const { network, provider, settings, redirectUri, sharedWith } = keys;
  const [values, setValues] = useState<Record<string, string>>({});
  const [proof, setProof] = useState('');
  const asks = useAsks();
  const save = useMutation({
    mutationFn: () => app.saveNetworkKeys({ network, values, ...toProof(asks, proof) }),
    onSuccess: onSaved,
  });
  const hasFieldFault =
    proofFault(save.error) !== undefined ||
    settings.some((name) => fieldFault(save.error, `values.${name}`, 'It') !== undefined);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate();
      }}
    >
      <p className={styles.address}>
        Register this redirect address at {provider}, to the letter: <code>{redirectUri}</code>{' '}
        <CopyButton value={redirectUri} label="Copy the redirect address" size={24} />{' '}
        <a href={`/help/networks/${network}`}>How to register</a>
        {sharedWith.length > 0 &&
          `. ${joinWithAnd(sharedWith)} ${sharedWith.length === 1 ? 'uses' : 'use'} the same credentials.`}
      </p>
      {settings.map((name, index) => {
        const Field = index === 0 ? TextInput : PasswordInput;
        return (
          <Field
            key={name}
            label={name}
            autoComplete="off"
            spellCheck={false}
            value={values[name] ?? ''}
            error={fieldFault(save.error, `values.${name}`, 'It')}
            onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
          />
        );
      })}
      <ProofField
        asks={asks}
        value={proof}
        onChange={setProof}
        error={save.error}
        purpose={`, to save the credentials of ${provider}`}
      />
      {save.error && !hasFieldFault && <FaultBanner fault={save.error} title="Not saved" />}
      <div className="flow">
        <Button type="submit" variant="ink" loading={save.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
};
