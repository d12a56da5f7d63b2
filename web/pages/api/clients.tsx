import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedClient } from '#generated/app-client';
import { app } from '#web/api.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { FaultBanner } from '#web/parts/fault.tsx';
import { Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { keys } from '#web/queries.ts';
import styles from './api.module.css';
import { agoOf, useShortDay } from './times.ts';

const words: Record<string, string> = {
  'posts:read': 'read',
  'posts:write': 'draft',
  'posts:publish': 'ask to publish',
  'accounts:manage': 'ask to disconnect',
  email: 'see your address',
};

/** Clients that the person signed in to; their access can be ended. */
export const Clients = () => {
  const client = useQueryClient();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.clients,
    queryFn: ({ signal }) => app.listClients({ signal }),
  });
  const [asked, setAsked] = useState<ConnectedClient>();
  const end = async () => {
    if (!asked) return;
    await app.endClient({ id: asked.id });
    await client.invalidateQueries({ queryKey: keys.clients });
  };
  return (
    <>
      <Section title="Connected clients" note={data && <span className="number">{data.clients.length}</span>}>
        {error && <FaultBanner fault={error} title="The clients could not be loaded" onRetry={refetch} />}
        {isPending && !error && <SkeletonRows rows={2} height={44} />}
        {data?.clients.length === 0 && (
          <p className={styles.none}>None yet. A client appears here once you have let it in.</p>
        )}
        {data && data.clients.length > 0 && (
          <ul className={styles.rows}>
            {data.clients.map((one) => (
              <ClientRow key={one.id} client={one} onEnd={() => setAsked(one)} />
            ))}
          </ul>
        )}
      </Section>
      <ConfirmDialog
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={`End the access of ${asked?.name}?`}
        act="End access"
        kind="danger"
        onConfirm={end}
      >
        It is refused from its next request on. It can ask you again.
      </ConfirmDialog>
    </>
  );
};

const ClientRow = ({ client, onEnd }: { client: ConnectedClient; onEnd: () => void }) => {
  const { name, host, scopes, since, lastUsedAt } = client;
  const shortDay = useShortDay();
  const may = scopes.map((scope) => words[scope] ?? scope).join(', ');
  return (
    <li className={styles.row}>
      <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" className={styles.icon} />
      <span className={styles.name}>
        <span className="one-line">{name}</span>
        <span className="caption text-3 one-line">
          {host ?? 'unverified'} · {may}
        </span>
      </span>
      <span className={`desk-only ${styles.cell}`}>Since {shortDay(since)}</span>
      <span className={styles.cell}>{lastUsedAt ? `Used ${agoOf(lastUsedAt, shortDay)}` : 'Not used yet'}</span>
      <Button className={styles.end} variant="quiet" size="xs" aria-label={`End access of ${name}`} onClick={onEnd}>
        End access
      </Button>
    </li>
  );
};
