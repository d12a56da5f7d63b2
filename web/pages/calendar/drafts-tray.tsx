import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { GripVertical } from 'lucide-react';
import type { PostSummary } from '#generated/app-client';
import { app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { useDeleted } from '#web/parts/post-actions.ts';
import { PostTitle, titleOf } from '#web/parts/post-title.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useOpenApprovals } from '#web/parts/use-open-approvals.ts';
import shared from './calendar.module.css';
import styles from './drafts-tray.module.css';
import type { Choosing } from './time-dialog.tsx';
import { askedTime } from './use-items.ts';

/** MIME type of a dragged draft; its data is the draft's id. */
export const draftType = 'application/x-posthorn-draft';

export const trayId = 'drafts-tray';

/** Drafts without a time. Those with a pending schedule request are in the calendar instead. */
export const useTray = (accountIds: string): readonly PostSummary[] => {
  const input = { group: 'Drafts', accountIds } as const;
  const { data } = useQuery({
    queryKey: keys.search({ ...input, tray: true }),
    queryFn: ({ signal }) => app.searchPosts(input, { signal }),
    placeholderData: (before) => before,
    meta: { part: 'drafts' },
  });
  const deleted = useDeleted();
  const requests = useOpenApprovals().ofPost;
  return (data?.posts ?? []).filter(
    ({ id, scheduledAt }) => scheduledAt === undefined && !deleted.has(id) && askedTime(requests.get(id)) === undefined,
  );
};

export const DraftsTray = ({
  drafts,
  onChoose,
}: {
  drafts: readonly PostSummary[];
  onChoose: (choosing: Choosing) => void;
}) => (
  <aside id={trayId} className={styles.tray} aria-label="Drafts">
    <h2 className={styles.trayTitle}>
      Drafts {drafts.length > 0 && <span className="small text-3">drag onto a day</span>}
    </h2>
    <ul>
      {drafts.map((draft) => (
        <Draft key={draft.id} draft={draft} onChoose={onChoose} />
      ))}
    </ul>
    <p className={styles.hint}>
      {drafts.length > 0
        ? 'Without a mouse: press Choose time, or choose Move to in a post’s menu.'
        : 'Drafts without a time appear here.'}
    </p>
  </aside>
);

const Draft = ({ draft, onChoose }: { draft: PostSummary; onChoose: (choosing: Choosing) => void }) => {
  const { networksOf } = useAccounts();
  return (
    <li
      className={styles.draft}
      draggable
      onDragStart={({ dataTransfer }) => {
        dataTransfer.effectAllowed = 'copyMove';
        dataTransfer.setData(draftType, draft.id);
      }}
    >
      <GripVertical className={styles.grip} size={16} aria-hidden="true" />
      <Link to="/posts/$id" params={{ id: draft.id }} className={styles.draftText} dir="auto" draggable={false}>
        <PostTitle text={draft.text} />
      </Link>
      {draft.thumbnail && <Thumbnail {...draft.thumbnail} size={32} />}
      <span className={styles.draftFoot}>
        <NetworkBadges networks={networksOf(draft.accountIds)} size={16} max={3} />
        <button
          type="button"
          className={shared.choose}
          aria-label={`Choose time for ${titleOf(draft.text) || 'the empty draft'}`}
          onClick={() => onChoose({ post: draft })}
        >
          Choose time
        </button>
      </span>
    </li>
  );
};
