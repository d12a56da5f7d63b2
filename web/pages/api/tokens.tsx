import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Token } from '#generated/app-client';
import { app } from '#web/api.ts';
import { ConfirmDialog } from '#web/parts/confirm-dialog.tsx';
import { FaultBanner } from '#web/parts/fault.tsx';
import { Section } from '#web/parts/section.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { keys } from '#web/queries.ts';
import { useSession, useWorkspace } from '#web/session.ts';
import styles from './api.module.css';
import { agoOf, useShortDay } from './times.ts';

/** The person's tokens, of all workspaces. */
export const Tokens = ({ fresh, onRevoked }: { fresh: string | undefined; onRevoked: (id: string) => void }) => {
  const client = useQueryClient();
  const { workspaces } = useSession();
  const { data, error, isPending, refetch } = useQuery({
    queryKey: keys.tokens,
    queryFn: ({ signal }) => app.listTokens({ signal }),
  });
  const [asked, setAsked] = useState<Token>();
  const revoke = async () => {
    if (!asked) return;
    await app.revokeToken({ id: asked.id });
    onRevoked(asked.id);
    await client.invalidateQueries({ queryKey: keys.tokens });
  };
  return (
    <>
      <Section
        title="Tokens"
        note={data && <span className="number">{data.length}</span>}
        action={<span className={styles.aside}>{workspaces.length > 1 ? 'yours, in all workspaces' : 'yours'}</span>}
      >
        {error && <FaultBanner fault={error} title="The tokens could not be loaded" onRetry={refetch} />}
        {isPending && !error && <SkeletonRows rows={2} height={44} />}
        {data?.length === 0 && (
          <p className={styles.none}>None yet. A token is for programs, and for clients that cannot sign in.</p>
        )}
        {data && data.length > 0 && (
          <ul className={styles.rows}>
            {[...data]
              .sort((a, b) => b.createdAt.localeCompare(a.createdAt))
              .map((token) => (
                <TokenRow key={token.id} token={token} isFresh={token.id === fresh} onRevoke={() => setAsked(token)} />
              ))}
          </ul>
        )}
      </Section>
      <ConfirmDialog
        opened={asked !== undefined}
        onClose={() => setAsked(undefined)}
        title={`Revoke “${asked?.name}”?`}
        act="Revoke"
        kind="danger"
        onConfirm={revoke}
      >
        What uses it is refused from now on, in {asked?.workspace.name}. It cannot be brought back.
      </ConfirmDialog>
    </>
  );
};

const TokenRow = ({ token, isFresh, onRevoke }: { token: Token; isFresh: boolean; onRevoke: () => void }) => {
  const { name, createdAt, lastUsedAt, workspace } = token;
  const open = useWorkspace();
  const shortDay = useShortDay();
  return (
    <li className={styles.row}>
      <span className={styles.name}>
        <span className="one-line">{name}</span>
        {workspace.id !== open.id && <span className="caption text-3 one-line">{workspace.name}</span>}
      </span>
      <span className={`desk-only ${styles.cell}`}>Created {isFresh ? 'now' : shortDay(createdAt)}</span>
      <span className={styles.cell}>{lastUsedAt ? `Used ${agoOf(lastUsedAt, shortDay)}` : 'Not used yet'}</span>
      <Button className={styles.end} variant="quiet" size="xs" aria-label={`Revoke ${name}`} onClick={onRevoke}>
        Revoke
      </Button>
    </li>
  );
};
