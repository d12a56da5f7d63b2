import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useSession, useWorkspace } from '#web/base/session.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { Section } from '#web/parts/section.tsx';
import styles from './api.module.css';
import { agoOf, useShortDay } from './times.ts';

export const Tokens = ({ newId, onRevoked }: { newId: string | undefined; onRevoked: (id: string) => void }) => {
  const client = useQueryClient();
  const { workspaces } = useSession();
  const query = useQuery({
    queryKey: keys.tokens,
    queryFn: ({ signal }) => app.listTokens({ signal }),
  });
  const [revoking, setRevoking] = useState<Token>();
  const revoke = async () => {
    if (!revoking) return;
    await app.revokeToken({ id: revoking.id });
    onRevoked(revoking.id);
    await client.invalidateQueries({ queryKey: keys.tokens });
  };
  return (
    <>
      <Section
        title="Tokens"
        note={query.data && <span className="number">{query.data.length}</span>}
        action={<span className={styles.aside}>{workspaces.length > 1 ? 'yours, in all workspaces' : 'yours'}</span>}
      >
        <Loaded query={query} title="The tokens could not be loaded" rows={2} height={44}>
          {(tokens) =>
            tokens.length === 0 ? (
              <p className={styles.none}>None yet. A token is for programs, and for clients that cannot sign in.</p>
            ) : (
              <ul className={styles.rows}>
                {tokens
                  .toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))
                  .map((token) => (
                    <TokenRow
                      key={token.id}
                      token={token}
                      isNew={token.id === newId}
                      onRevoke={() => setRevoking(token)}
                    />
                  ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <ConfirmDialog
        opened={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title={`Revoke “${revoking?.name}”?`}
        act="Revoke"
        kind="danger"
        onConfirm={revoke}
      >
        What uses it is refused from now on, in {revoking?.workspace.name}. It cannot be brought back.
      </ConfirmDialog>
    </>
  );
};

const TokenRow = ({ token, isNew, onRevoke }: { token: Token; isNew: boolean; onRevoke: () => void }) => {
  const { name, createdAt, lastUsedAt, workspace } = token;
  const open = useWorkspace();
  const shortDay = useShortDay();
  return (
    <li className={styles.row}>
      <span className={styles.name}>
        <span className={styles.whole} dir="auto">
          {name}
        </span>
        {workspace.id !== open.id && (
          <span className="caption text-3 one-line" dir="auto">
            {workspace.name}
          </span>
        )}
      </span>
      <span className={`desk-only ${styles.cell}`}>Created {isNew ? 'now' : shortDay(createdAt)}</span>
      <span className={styles.cell}>{lastUsedAt ? `Used ${agoOf(lastUsedAt, shortDay)}` : 'Not used yet'}</span>
      <Button className={styles.end} variant="quiet" size="xs" aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
};
