import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import type { HistoryEntry, Revision as RevisionRecord } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { handleOf } from '#web/base/networks.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { formatSaid } from '#web/base/time.ts';
import { DiffText } from '#web/parts/diff-text.tsx';
import { Loaded } from '#web/parts/loaded.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { otherChanges } from './format-history.ts';
import styles from './history.module.css';

export const Revision = ({
  postId,
  entry,
  number,
  onRestore,
}: {
  postId: string;
  entry: HistoryEntry;
  number: number;
  onRestore?: ((revision: RevisionRecord, when: string) => Promise<void>) | undefined;
}) => {
  const zone = useZone();
  const [running, setRunning] = useState(false);
  const query = useQuery({
    queryKey: [...keys.revision(postId, number), entry.at],
    queryFn: ({ signal }) => app.getRevision({ id: postId, number: String(number) }, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const restore = async (revision: RevisionRecord) => {
    setRunning(true);
    await onRestore?.(revision, formatSaid(entry.at, zone));
    setRunning(false);
  };
  return (
    <Loaded query={query} title="The text could not be loaded" rows={1} height={60} label="Loading the text">
      {(revision) => (
        <div className={styles.revision}>
          <Difference revision={revision} />
          {onRestore && (
            <Button
              size="xs"
              loading={running}
              leftSection={<RotateCcw size={14} aria-hidden="true" />}
              onClick={() => restore(revision)}
            >
              Restore this text
            </Button>
          )}
        </div>
      )}
    </Loaded>
  );
};

const Difference = ({ revision }: { revision: RevisionRecord }) => {
  const { byId } = useAccounts();
  const nameOf = (accountId: string) => {
    const account = byId.get(accountId);
    return account ? `${account.provider}, ${handleOf(account)}` : 'Disconnected account';
  };
  const texts = compare(revision);
  const others = otherChanges(revision, nameOf);
  return (
    <>
      {texts.map(({ accountId, item, of, old, now }) => (
        <section key={`${accountId} ${item}`}>
          {(accountId !== '' || of > 1) && (
            <h3 className={`caption ${styles.name}`}>
              {[accountId === '' ? 'Original' : nameOf(accountId), of > 1 && `item ${item + 1}`]
                .filter(Boolean)
                .join(', ')}
            </h3>
          )}
          <DiffText before={old} after={now} className={styles.text} />
        </section>
      ))}
      {others.map((line) => (
        <p key={line} className="small text-2">
          {line}
        </p>
      ))}
      {texts.length === 0 && others.length === 0 && <p className="small text-2">Nothing was written.</p>}
    </>
  );
};

/** Items that differ. The first revision has no predecessor and is shown unchanged. */
const compare = ({ versions, before }: RevisionRecord) => {
  const bodies = (all: RevisionRecord['versions'], accountId: string) =>
    all.find((version) => (version.accountId ?? '') === accountId)?.content.map(({ body }) => body) ?? [];
  const accountIds = [...new Set([...versions, ...(before?.versions ?? [])].map((version) => version.accountId ?? ''))];
  return accountIds.flatMap((accountId) => {
    const now = bodies(versions, accountId);
    const old = before ? bodies(before.versions, accountId) : now;
    const of = Math.max(now.length, old.length);
    return Array.from({ length: of }, (_, item) => ({
      accountId,
      item,
      of,
      old: old[item] ?? '',
      now: now[item] ?? '',
    })).filter((one) => (before ? one.old !== one.now : one.now.trim() !== ''));
  });
};
