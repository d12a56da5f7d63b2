import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { app } from '#web/api.ts';
import { useNetworks } from '#web/networks.ts';
import { FaultBanner } from '#web/parts/fault.tsx';
import { Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { When } from '#web/parts/when.tsx';
import { keys, queries } from '#web/queries.ts';
import { nameOf } from '#web/session.ts';
import { auditWords } from './audit-words.ts';
import styles from './workspace.module.css';

const first = 15;

/** Who did what here. */
export const AuditLog = () => {
  const { data, error, refetch } = useQuery({
    queryKey: keys.audit,
    queryFn: ({ signal }) => app.listAudit({ signal }),
    staleTime: 0,
  });
  const members = useQuery(queries.members).data?.members ?? [];
  const networks = useNetworks();
  const [all, setAll] = useState(false);
  const person = (id: string | undefined) => {
    const found = members.find(({ userId }) => userId === id);
    return found && nameOf(found);
  };
  const entries = data?.entries ?? [];
  return (
    <Section title="Audit log" note="the last 200 entries" card>
      {error && <FaultBanner fault={error} title="The audit log could not be loaded" onRetry={refetch} />}
      {!data && !error && <SkeletonRows rows={6} height={36} />}
      <ol aria-label="Audit log">
        {entries.slice(0, all ? undefined : first).map((entry) => (
          <li key={entry.id} className={styles.entry}>
            <span>{auditWords(entry, { person, network: (key) => networks.of(key).name })}</span>
            <When at={entry.createdAt} />
          </li>
        ))}
      </ol>
      {!all && entries.length > first && (
        <div className={styles.more}>
          <Button size="xs" variant="quiet" onClick={() => setAll(true)}>
            Show all {entries.length}
          </Button>
        </div>
      )}
    </Section>
  );
};
