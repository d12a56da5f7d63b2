import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/api.ts';
import { useNetworks } from '#web/networks.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import { When } from '#web/parts/when.tsx';
import { keys, queries } from '#web/queries.ts';
import { nameOf } from '#web/session.ts';
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
  const networks = useNetworks();
  const [isExpanded, setIsExpanded] = useState(false);
  const person = (id: string | undefined) => {
    // Without the member list, a former member cannot be told from a present one.
    if (members === undefined) return 'Somebody';
    const member = members.find(({ userId }) => userId === id);
    return member && nameOf(member);
  };
  return (
    <Section title="Audit log" note="the last 200 entries" card>
      <Loaded query={query} title="The audit log could not be loaded" rows={6} height={36}>
        {({ entries }) => (
          <>
            <ol aria-label="Audit log">
              {entries.slice(0, isExpanded ? undefined : collapsedCount).map((entry) => (
                <li key={entry.id} className={styles.entry}>
                  <span>{auditWords(entry, { person, network: (key) => networks.of(key).name })}</span>
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
