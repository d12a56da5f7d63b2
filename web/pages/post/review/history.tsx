import { useQuery } from '@tanstack/react-query';
import {
  ArchiveRestore,
  CircleCheck,
  CircleHelp,
  CircleX,
  Clock,
  FilePlus,
  type LucideIcon,
  MessageCircleQuestionMark,
  Pencil,
  Send,
  Stamp,
  ThumbsDown,
  Trash2,
  Undo2,
} from 'lucide-react';
import { useState } from 'react';
import type { HistoryEntry, Revision as RevisionRecord } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { useZone } from '#web/base/session.ts';
import { Loaded } from '#web/parts/loaded.tsx';
import { When } from '#web/parts/when.tsx';
import { describeClient, describeEntry, isUncertain } from './format-history.ts';
import styles from './history.module.css';
import { Revision } from './revision.tsx';

const icons: Record<HistoryEntry['kind'], LucideIcon> = {
  Created: FilePlus,
  Edited: Pencil,
  Scheduled: Clock,
  Unscheduled: Undo2,
  Publishing: Send,
  Deleted: Trash2,
  Restored: ArchiveRestore,
  Requested: MessageCircleQuestionMark,
  Approved: Stamp,
  Rejected: ThumbsDown,
  Published: CircleCheck,
  Failed: CircleX,
};

interface Props {
  postId: string;
  onRestore?: ((revision: RevisionRecord, when: string) => Promise<void>) | undefined;
}

/** Who did what, newest first. An edit expands to its diff. */
export const History = ({ postId, onRestore }: Props) => {
  const query = useQuery({
    queryKey: keys.changes(postId),
    queryFn: ({ signal }) => app.listChanges({ id: postId }, { signal }),
  });
  return (
    <Loaded query={query} title="The history could not be loaded" rows={4} label="Loading the history">
      {({ entries }) => <Entries entries={entries} postId={postId} onRestore={onRestore} />}
    </Loaded>
  );
};

const Entries = ({ entries, postId, onRestore }: Props & { entries: readonly HistoryEntry[] }) => {
  const [opened, setOpened] = useState<number>();
  const newest = entries.find(({ revision }) => revision !== undefined)?.revision;
  return (
    <ol aria-label="History">
      {entries.map((entry) => (
        <li key={entry.id} className="divided">
          {entry.revision === undefined ? (
            <div className={styles.line}>
              <Line entry={entry} />
            </div>
          ) : (
            <button
              type="button"
              className={styles.line}
              aria-expanded={opened === entry.revision}
              onClick={() => setOpened(opened === entry.revision ? undefined : entry.revision)}
            >
              <Line entry={entry} />
            </button>
          )}
          {entry.revision !== undefined && opened === entry.revision && (
            <Revision
              postId={postId}
              entry={entry}
              number={entry.revision}
              onRestore={entry.revision === newest ? undefined : onRestore}
            />
          )}
        </li>
      ))}
    </ol>
  );
};

const Line = ({ entry }: { entry: HistoryEntry }) => {
  const zone = useZone();
  const isInDoubt = isUncertain(entry);
  const Icon = isInDoubt ? CircleHelp : icons[entry.kind];
  const client = describeClient(entry.client);
  const by = entry.person?.name;
  return (
    <>
      <Icon className={styles.icon} data-kind={isInDoubt ? 'Uncertain' : entry.kind} size={16} aria-hidden="true" />
      <span className={styles.words}>
        <span className={styles.what}>{describeEntry(entry, zone)}</span>
        <span className={`caption text-2 ${styles.by}`}>
          {(by || client) && (
            <span className={styles.who}>
              {by && <bdi>{by}</bdi>}
              {by && client && ' · '}
              {client && <bdi>{client}</bdi>}
            </span>
          )}
          <When at={entry.at} className={styles.when} />
        </span>
      </span>
    </>
  );
};
