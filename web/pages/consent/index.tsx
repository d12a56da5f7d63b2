import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { BadgeCheck, CircleHelp } from 'lucide-react';
import { useState } from 'react';
import { type ConsentQuestion, isPosthornError } from '#generated/app-client';
import { app } from '#web/api.ts';
import { Banner } from '#web/parts/banner.tsx';
import { DefinitionList } from '#web/parts/definition-list.tsx';
import { EntryCard, EntryFault, EntryForm } from '#web/parts/entry-card.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Chip } from '#web/parts/state-chip.tsx';
import styles from './consent.module.css';

/** OAuth consent for an MCP client. */
const Consent = () => {
  const { id } = useParams({ strict: false }) as { id: string };
  const { data, error, refetch } = useQuery({
    queryKey: ['consent', id],
    queryFn: ({ signal }) => app.readConsent({ id }, { signal }),
    // The person must decide on exactly what they read.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (isPosthornError(error, 'NotFound')) return <Over />;
  if (error && !isPosthornError(error, 'Unauthorized')) {
    return (
      <EntryFault
        card="A client asks for access"
        fault={error}
        title="The request could not be loaded"
        onRetry={refetch}
      />
    );
  }
  return data ? <Question id={id} question={data} /> : null;
};

const Over = () => (
  <EntryCard
    title="This request is no longer open"
    lead="It was answered, has expired, or belongs to another browser or person. Go back to the app that sent you here, and connect it again."
  />
);

const Question = ({ id, question }: { id: string; question: ConsentQuestion }) => {
  const { client, leadsTo, onThisComputer, scopes, email, workspace } = question;
  const [granted, setGranted] = useState<readonly string[]>(scopes.map(({ scope }) => scope));
  const [running, setRunning] = useState<'yes' | 'no'>();
  const [fault, setFault] = useState<unknown>();
  const decide = async (approve: boolean) => {
    if (running) return;
    setRunning(approve ? 'yes' : 'no');
    setFault(undefined);
    try {
      const { next } = await app.decideConsent({ id, approve, scopes: [...granted] });
      location.assign(next);
    } catch (error) {
      setFault(error);
      setRunning(undefined);
    }
  };
  if (isPosthornError(fault, 'NotFound')) return <Over />;
  const hasNone = scopes.length > 0 && granted.length === 0;
  return (
    // An unverified client chose its own name, so it is quoted.
    <EntryCard
      title={`Let ${client.host === undefined ? `“${client.name}”` : client.name} use Posthorn?`}
      foot="You can end its access at any time under API and MCP."
    >
      <div className={styles.facts}>
        <DefinitionList
          items={[
            [client.host === undefined ? 'Made by' : 'Published at', <Host key="host" host={client.host} />],
            ['Sends you to', leadsTo],
            ['Signed in as', email],
            ['Workspace', `${workspace ?? 'none yet'}, always the one you opened last`],
          ]}
        />
      </div>
      <Doubt isVerified={client.host !== undefined} onThisComputer={onThisComputer} leadsTo={leadsTo} />
      <EntryForm onSubmit={() => decide(true)}>
        {scopes.length > 0 && (
          <Checkbox.Group
            label={<span className={styles.label}>It may</span>}
            value={[...granted]}
            onChange={(value) => setGranted(value)}
          >
            <div className={styles.scopes}>
              {scopes.map(({ scope, words }) => (
                <Checkbox key={scope} value={scope} label={words} />
              ))}
            </div>
          </Checkbox.Group>
        )}
        {fault !== undefined && <FaultBanner fault={fault} title="Not decided" />}
        <div className={styles.buttons}>
          <Button
            type="submit"
            variant="ink"
            size="lg"
            loading={running === 'yes'}
            aria-disabled={hasNone || undefined}
            onClick={(event) => hasNone && event.preventDefault()}
          >
            Approve
          </Button>
          <Button size="lg" variant="quiet" loading={running === 'no'} onClick={() => decide(false)}>
            Cancel
          </Button>
          {hasNone && <span className="small text-3">Tick what it may do.</span>}
        </div>
      </EntryForm>
    </EntryCard>
  );
};

const Doubt = ({
  isVerified,
  onThisComputer,
  leadsTo,
}: {
  isVerified: boolean;
  onThisComputer: boolean;
  leadsTo: string;
}) => {
  if (isVerified && !onThisComputer) return null;
  const identity = isVerified ? 'Any program there could use its name.' : 'It chose its name itself.';
  return (
    <Banner tone="plum" title={isVerified ? 'This app is on your own computer' : 'This app is not verified'}>
      {onThisComputer
        ? `${identity} Approve only if you have just started it yourself.`
        : `${identity} Approve only if you began this yourself and trust ${leadsTo}.`}
    </Banner>
  );
};

/** A client metadata document proves its host; other clients are unverified. */
const Host = ({ host }: { host: string | undefined }) =>
  host === undefined ? (
    <Chip tone="plum" icon={CircleHelp}>
      unverified
    </Chip>
  ) : (
    <span className={styles.host}>
      {host}
      <Chip tone="green" icon={BadgeCheck}>
        verified
      </Chip>
    </span>
  );

export default Consent;
