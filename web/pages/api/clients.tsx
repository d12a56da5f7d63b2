import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { SquareTerminal } from 'lucide-react';
import { useState } from 'react';
import type { ConnectedClient } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import styles from './api.module.css';
import { agoOf, useShortDay } from './times.ts';

const scopeTexts: Record<string, string> = {
  'posts:read': 'read',
  'posts:write': 'draft',
  'posts:publish': 'ask to publish',
  'accounts:manage': 'ask to disconnect',
  email: 'see your address',
};

/** MCP clients that the person has authorized. */
export const Clients = () => {
  const client = useQueryClient();
  const query = useQuery({
    queryKey: keys.clients,
    queryFn: ({ signal }) => app.listClients({ signal }),
  });
  const [ending, setEnding] = useState<ConnectedClient>();
  const end = async () => {
    if (!ending) return;
    await app.endClient({ id: ending.id });
    await client.invalidateQueries({ queryKey: keys.clients });
  };
  return (
    <>
      <Section
        title="Connected clients"
        note={query.data && <span className="number">{query.data.clients.length}</span>}
      >
        <Loaded query={query} title="The clients could not be loaded" rows={2} height={44}>
          {({ clients }) =>
            clients.length === 0 ? (
              <p className={styles.none}>None yet. A client appears here once you have let it in.</p>
            ) : (
              <ul className={styles.rows}>
                {clients.map((one) => (
                  <ClientRow key={one.id} client={one} onEnd={() => setEnding(one)} />
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <ConfirmDialog
        opened={ending !== undefined}
        onClose={() => setEnding(undefined)}
        title={`End the access of ${ending?.name}?`}
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
  const permissions = scopes.map((scope) => scopeTexts[scope] ?? scope).join(', ');
  return (
    <li className={styles.row}>
      <SquareTerminal size={16} strokeWidth={1.75} aria-hidden="true" className={styles.icon} />
      <span className={styles.name}>
        <span className={styles.whole} dir="auto">
          {name}
        </span>
        <span className="caption text-3 one-line">
          {host ?? 'unverified'} · {permissions}
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
