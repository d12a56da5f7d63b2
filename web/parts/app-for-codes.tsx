import { Button, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { RecoveryCodes as Codes, ReadFactorsOutput, TotpSecret } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { fieldFault } from '#web/base/faults.ts';
import { keys, queries } from '#web/base/queries.ts';
import { CopyButton } from './copy.tsx';
import { FaultBanner } from './fault-banner.tsx';
import { Loaded } from './loaded.tsx';
import { count } from './number.ts';
import { type Asks, ProofField, proofFault, toProof } from './proof-field.tsx';
import { saveFile } from './save-file.ts';
import { Section } from './section.tsx';
import styles from './setting.module.css';
import { showToast } from './toasts.tsx';
import { useConfirmLeaving } from './use-confirm-leaving.ts';
import { When } from './when.tsx';

const QrCode = lazy(() => import('./qr-code.tsx'));

/**
 * Codes from an app, as a second factor beside the password. `onCodes` says whether recovery codes are shown, which the
 * server cannot show again.
 */
export const AppForCodes = ({ onCodes }: { onCodes?: (areShown: boolean) => void }) => {
  const client = useQueryClient();
  const query = useQuery(queries.factors);
  const [codes, setCodes] = useState<readonly string[]>();
  const show = ({ recoveryCodes }: Codes) => {
    setCodes(recoveryCodes);
    onCodes?.(true);
    void client.invalidateQueries({ queryKey: keys.factors });
  };
  const close = () => {
    setCodes(undefined);
    onCodes?.(false);
    void client.invalidateQueries({ queryKey: keys.session });
  };
  return (
    <Section title="Second factor" note="a code from an app, after your password">
      <Loaded query={query} title="The second factor could not be loaded" rows={2} height={60}>
        {(factors) => (
          <>
            {codes && <RecoveryCodes codes={codes} onDone={close} />}
            {factors.totp ? <InUse factors={factors} onCodes={show} /> : <SetUp asks={factors.asks} onDone={show} />}
          </>
        )}
      </Loaded>
    </Section>
  );
};

const SetUp = ({ asks, onDone }: { asks: Asks; onDone: (codes: Codes) => void }) => {
  const [proof, setProof] = useState('');
  const begin = useMutation({ mutationFn: () => app.beginTotp(toProof(asks, proof)) });
  if (begin.data) return <FirstCode secret={begin.data} onDone={onDone} onAgain={begin.reset} />;
  const ofProof = proofFault(begin.error);
  return (
    <form
      className={styles.fields}
      onSubmit={(event) => {
        event.preventDefault();
        begin.mutate();
      }}
    >
      <p className="small text-2">
        Signing in with your password or a link then also asks for six digits from an app such as Aegis, 1Password or
        Google Authenticator.
      </p>
      <ProofField asks={asks} value={proof} onChange={setProof} error={begin.error} purpose=", to set up an app" />
      {begin.error && !ofProof && <FaultBanner fault={begin.error} title="It was not set up" />}
      <div className="flow">
        <Button type="submit" loading={begin.isPending}>
          Set up an authenticator app
        </Button>
      </div>
    </form>
  );
};

const FirstCode = ({
  secret: { secret, uri },
  onDone,
  onAgain,
}: {
  secret: TotpSecret;
  onDone: (codes: Codes) => void;
  onAgain: () => void;
}) => {
  const [code, setCode] = useState('');
  const confirm = useMutation({ mutationFn: () => app.confirmTotp({ code }), onSuccess: onDone });
  const ofCode = fieldFault(confirm.error, 'code', 'The code');
  return (
    <form
      className={styles.fields}
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <p>Scan this with the app, or type the key into it.</p>
      <Suspense fallback={<div className={styles.qr} />}>
        <QrCode text={uri} />
      </Suspense>
      <p>
        <code className={styles.key}>{secret.replaceAll(/.{4}(?=.)/g, '$& ')}</code>{' '}
        <CopyButton value={secret} label="Copy the key">
          Copy
        </CopyButton>
      </p>
      <TextInput
        label="Code that the app shows"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        withAsterisk={false}
        autoFocus
        maxLength={20}
        value={code}
        error={ofCode}
        onChange={(event) => setCode(event.currentTarget.value)}
      />
      {confirm.error && !ofCode && <FaultBanner fault={confirm.error} title="It was not set up" />}
      <div className="flow">
        <Button type="submit" variant="ink" loading={confirm.isPending}>
          Switch it on
        </Button>
        {confirm.error && !ofCode && <Button onClick={onAgain}>Begin again</Button>}
      </div>
    </form>
  );
};

const RecoveryCodes = ({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) => {
  const text = `${codes.join('\n')}\n`;
  useConfirmLeaving('The recovery codes are shown only this once. Leave without them?');
  return (
    <section className={styles.recovery} aria-label="Recovery codes">
      <p>
        <strong>Store these recovery codes now.</strong> Each signs you in once when the app is lost. They are not shown
        again.
      </p>
      <ul className={styles.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="flow">
        <CopyButton value={text} label="Copy the recovery codes">
          Copy
        </CopyButton>
        <Button
          size="xs"
          leftSection={<Download size={14} aria-hidden="true" />}
          onClick={() => saveFile(new Blob([text], { type: 'text/plain' }), 'posthorn-recovery-codes.txt')}
        >
          Save as a file
        </Button>
        <Button size="xs" variant="ink" onClick={onDone}>
          I stored them
        </Button>
      </div>
    </section>
  );
};

const InUse = ({ factors, onCodes }: { factors: ReadFactorsOutput; onCodes: (codes: Codes) => void }) => {
  const [changing, setChanging] = useState<'remove' | 'renew'>();
  return (
    <div className={styles.setting}>
      <div className={styles.words}>
        <p>Authenticator app</p>
        <p className="small text-3">
          since <When at={factors.totp?.since ?? ''} form="day" />, {count(factors.recoveryCodes, 'recovery code')} left
        </p>
        {changing && (
          <ChangeForm
            key={changing}
            asks={factors.asks}
            kind={changing}
            onCodes={onCodes}
            onClose={() => setChanging(undefined)}
          />
        )}
      </div>
      {!changing && (
        <div className="flow">
          <Button size="xs" onClick={() => setChanging('renew')}>
            New recovery codes
          </Button>
          <Button size="xs" onClick={() => setChanging('remove')} aria-label="Remove the authenticator app">
            Remove
          </Button>
        </div>
      )}
    </div>
  );
};

const ChangeForm = ({
  asks,
  kind,
  onCodes,
  onClose,
}: {
  asks: Asks;
  kind: 'remove' | 'renew';
  onCodes: (codes: Codes) => void;
  onClose: () => void;
}) => {
  const [proof, setProof] = useState('');
  const client = useQueryClient();
  const { mutate, error, isPending } = useMutation({
    mutationFn: async () => {
      if (kind === 'renew') return onCodes(await app.renewRecoveryCodes(toProof(asks, proof)));
      await app.removeTotp(toProof(asks, proof));
      showToast({ text: 'The authenticator app is removed.' });
      for (const queryKey of [keys.factors, keys.session]) void client.invalidateQueries({ queryKey });
    },
    onSuccess: onClose,
  });
  const isRemoval = kind === 'remove';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        mutate();
      }}
    >
      <ProofField
        asks={asks}
        value={proof}
        onChange={setProof}
        error={error}
        purpose={isRemoval ? ', to remove the app' : ', for new recovery codes'}
      />
      {error && !proofFault(error) && <FaultBanner fault={error} title="Nothing was changed" />}
      <div className="flow">
        <Button type="submit" size="xs" variant={isRemoval ? 'danger' : 'ink'} loading={isPending}>
          {isRemoval ? 'Remove' : 'Make new codes'}
        </Button>
        <Button size="xs" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
};
