import { Button } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AuditEntry, ServerAuditEntry } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { useNetworks } from '#web/base/networks.ts';
import { keys, queries } from '#web/base/queries.ts';
import { nameOf } from '#web/base/session.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import { When } from '#web/parts/when.tsx';
import { auditWords } from './audit-words.ts';
import styles from './workspace.module.css';

const collapsedCount = 15;

export const AuditLog = () => {
  const query = useQuery({
    queryKey: keys.audit,
    queryFn: ({ signal }) => app.listAudit({ signal }),
    staleTime: 0,
  });
  const members = useQuery(queries.members).data?.members;
  const person = (id: string | undefined) => {
    // Without the member list, a former member cannot be told from a present one.
    if (members === undefined) return 'Somebody';
    const member = members.find(({ userId }) => userId === id);
    return member && nameOf(member);
  };
  return <Entries query={query} title="Audit log" person={() => person} />;
};

/** For whoever set the server up: what belongs to no workspace. */
export const ServerAuditLog = () => {
  const query = useQuery({
    queryKey: keys.serverAudit,
    queryFn: ({ signal }) => app.listServerAudit({ signal }),
    staleTime: 0,
  });
  const person =
    ({ userId, person }: ServerAuditEntry) =>
    (id: string | undefined) =>
      id === userId ? person : undefined;
  return <Entries query={query} title="Log of this server" person={person} />;
};

const Entries = <Entry extends AuditEntry>({
  query,
  title,
  person,
}: {
  query: UseQueryResult<{ entries: Entry[] }>;
  title: string;
  person: (entry: Entry) => (userId: string | undefined) => string | undefined;
}) => {
  const networks = useNetworks();
  const [isExpanded, setIsExpanded] = useState(false);
  return (
    <Section title={title} note="the last 200 entries" card>
      <Loaded query={query} title="The audit log could not be loaded" rows={6} height={36}>
        {({ entries }) => (
          <>
            {entries.length === 0 && <p className="small text-2">Nothing yet.</p>}
            <ol aria-label={title}>
              {entries.slice(0, isExpanded ? undefined : collapsedCount).map((entry) => (
                <li key={entry.id} className={styles.entry}>
                  <span>{auditWords(entry, { person: person(entry), network: (key) => networks.of(key).name })}</span>
                  <When at={entry.createdAt} />
                </li>
              ))}
            </ol>
            {!isExpanded && entries.length > collapsedCount && (
              <div className={styles.more}>
                <Button size="xs" variant="quiet" onClick={() => setIsExpanded(true)}>
                  Show all {entries.length}
                </Button>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
};
