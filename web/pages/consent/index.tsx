import { Button, Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { ArrowLeftRight, BadgeCheck, CircleHelp, SquareTerminal, Stamp } from 'lucide-react';
import { useState } from 'react';
import { type ConsentQuestion, isPosthornError } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { EntryCard, EntryFault } from '#web/parts/entry-card.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { Mark } from '#web/parts/mark.tsx';
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
    title="This question is no longer open"
    lead="It was answered, has expired, or belongs to another browser or person. Start again from the app that sent you here."
  />
);

/** Not ticked at first: few clients need it, and each use asks again anyway. */
const rarelyNeeded = 'accounts:manage';

const Question = ({ id, question }: { id: string; question: ConsentQuestion }) => {
  const { client, scopes, email, workspace } = question;
  const isVerified = client.host !== undefined;
  const requested = scopes.map(({ scope }) => scope);
  const [granted, setGranted] = useState<readonly string[]>(
    requested.length > 1 ? requested.filter((scope) => scope !== rarelyNeeded) : requested,
  );
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
  const hasNone = requested.length > 0 && granted.length === 0;
  return (
    <EntryCard
      isWide
      focusesTitle
      mark={<Pair isVerified={isVerified} />}
      title={
        // An unverified client chose its own name, so it is quoted.
        isVerified ? (
          <>
            Let <bdi>{client.name}</bdi> use Posthorn?
          </>
        ) : (
          <>
            Let “<bdi>{client.name}</bdi>” use Posthorn?
          </>
        )
      }
      lead={
        <>
          As {email}, in the workspace you opened last: <bdi>{workspace ?? 'none yet'}</bdi>.
        </>
      }
    >
      <Origin question={question} />
      <Checkbox.Group value={[...granted]} onChange={(value) => setGranted(value)}>
        <Scopes title="It may, at once" scopes={scopes.filter(({ scope }) => !needsYes(scope))} granted={granted} />
        <Scopes
          title="It asks you first, every time"
          scopes={scopes.filter(({ scope }) => needsYes(scope))}
          granted={granted}
        />
      </Checkbox.Group>
      {fault !== undefined && <FaultBanner fault={fault} title="Not decided" />}
      {/* No form, so that Enter in a checkbox decides nothing. */}
      <div className={styles.buttons}>
        <Button
          className={styles.main}
          variant="ink"
          size="lg"
          aria-disabled={hasNone || running !== undefined || undefined}
          onClick={() => !hasNone && decide(true)}
        >
          {running === 'yes' ? 'Connecting…' : hasNone ? 'Tick what it may do' : yesLabel(granted)}
        </Button>
        <Button size="lg" aria-disabled={running !== undefined || undefined} onClick={() => decide(false)}>
          Refuse
        </Button>
      </div>
      <p className="small text-3">You can end its access at any time, under API and MCP.</p>
    </EntryCard>
  );
};

const yesLabel = (granted: readonly string[]) =>
  granted.length > 0 && granted.every((scope) => scope === 'posts:read') ? 'Let it in, to look only' : 'Let it in';

const needsYes = (scope: string) => scope === 'posts:publish' || scope === 'accounts:manage';

const words: Record<string, [title: string, text: string, leftOut: string]> = {
  'posts:read': [
    'Read posts, accounts, media and numbers',
    'It cannot see sign-ins or passwords.',
    'Left out: it cannot read anything.',
  ],
  'posts:write': [
    'Write and change drafts',
    'You see who wrote what in the history.',
    'Left out: it cannot change anything.',
  ],
  'posts:publish': [
    'Schedule, publish and delete posts',
    'Each one becomes a card under Approvals.',
    'Left out: it cannot ask for it.',
  ],
  'accounts:manage': ['Disconnect accounts', 'Also a card.', 'Also a card. Tick it only if you want it to ask.'],
};

const Scopes = ({
  title,
  scopes,
  granted,
}: {
  title: string;
  scopes: ConsentQuestion['scopes'];
  granted: readonly string[];
}) =>
  scopes.length === 0 ? null : (
    <section className={styles.group}>
      <h2 className={styles.label}>{title}</h2>
      <ul>
        {scopes.map(({ scope, words: plain }) => {
          const [name = plain, text = '', leftOut = ''] = words[scope] ?? [];
          return (
            <li key={scope} className={styles.scope}>
              <Checkbox
                value={scope}
                label={
                  <span className={styles.name}>
                    {name}
                    {needsYes(scope) && (
                      <Chip tone="brass" icon={Stamp}>
                        your yes
                      </Chip>
                    )}
                  </span>
                }
                description={granted.includes(scope) ? text : leftOut}
              />
              <code className={styles.code}>{scope}</code>
            </li>
          );
        })}
      </ul>
    </section>
  );

const Pair = ({ isVerified }: { isVerified: boolean }) => (
  <div className={styles.pair} aria-hidden="true">
    <span className={styles.tile} data-unverified={!isVerified || undefined}>
      <SquareTerminal size={24} strokeWidth={1.5} />
      <span className={styles.seal} data-tone={isVerified ? 'green' : 'plum'}>
        {isVerified ? <BadgeCheck size={15} /> : <CircleHelp size={15} />}
      </span>
    </span>
    <i />
    <ArrowLeftRight size={16} />
    <i />
    <Mark size={52} />
  </div>
);

/** A client metadata document proves its host; any other client is unverified. */
const Origin = ({ question: { client, leadsTo, onThisComputer } }: { question: ConsentQuestion }) => {
  const leads = <code>{leadsTo}</code>;
  if (client.host !== undefined && !onThisComputer) {
    return (
      <Note tone="green" title={`Published at ${client.host}`}>
        That address vouches for the app. It will send you to {leads}.
      </Note>
    );
  }
  return (
    <Note
      tone="plum"
      title={client.host === undefined ? 'This app chose its own name' : `Published at ${client.host}, runs here`}
    >
      {client.host === undefined
        ? 'Nobody has checked who made it.'
        : 'Any program on this computer could use its name.'}{' '}
      {onThisComputer ? (
        <>Go on only if you have just started it yourself. It will send you to {leads}, a program on this computer.</>
      ) : (
        <>Go on only if you began this yourself and trust {leads}, where it will send you.</>
      )}
    </Note>
  );
};

const Note = ({ tone, title, children }: { tone: 'green' | 'plum'; title: string; children: React.ReactNode }) => {
  const Icon = tone === 'green' ? BadgeCheck : CircleHelp;
  return (
    <div className={styles.note} data-tone={tone}>
      <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
      <div>
        <p className={styles.title}>{title}</p>
        <p>{children}</p>
      </div>
    </div>
  );
};

export default Consent;
