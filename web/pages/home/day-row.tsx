import { Link } from '@tanstack/react-router';
import type { PostSummary } from '#generated/app-client';
import { Engagement } from '#web/parts/engagement.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import { StateIcon, stateOf } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { useOpenApprovals } from '#web/parts/use-open-approvals.ts';
import { When } from '#web/parts/when.tsx';
import styles from './today.module.css';

export const DayRow = ({ post, at }: { post: PostSummary; at: string }) => {
  const { networksOf } = useAccounts();
  const isWaiting = useOpenApprovals().ofPost.has(post.id);
  return (
    <li className={styles.row} data-row={post.id}>
      <When at={at} form="time" className={styles.time} />
      <StateIcon state={isWaiting ? 'Waiting' : stateOf(post)} />
      <Link to="/posts/$id" params={{ id: post.id }} data-row-link="" className={`row-link ${styles.link}`}>
        <span className="one-line" dir="auto">
          <PostTitle text={post.text} />
        </span>
      </Link>
      <span className={styles.tail}>
        <Tail post={post} at={at} isWaiting={isWaiting} />
      </span>
      <span className={styles.badges}>
        <NetworkBadges networks={networksOf(post.accountIds)} />
      </span>
      <span className={styles.picture}>{post.thumbnail && <Thumbnail {...post.thumbnail} size={36} />}</span>
    </li>
  );
};

const Tail = ({ post, at, isWaiting }: { post: PostSummary; at: string; isWaiting: boolean }) => {
  const failed = post.results.filter(({ ok }) => !ok).length;
  if (isWaiting) return <span className={styles.waits}>waits for approval</span>;
  if (post.status === 'Scheduled') return <When at={at} form="relative" />;
  if (post.status === 'Draft') return 'draft';
  if (post.status === 'Publishing') return 'on its way';
  if (post.status === 'Failed') {
    const isDoubt = stateOf(post) === 'Uncertain';
    return (
      <span className={isDoubt ? styles.doubt : styles.bad}>
        {failed} of {post.results.length} {isDoubt ? 'uncertain' : 'failed'}
      </span>
    );
  }
  return (
    <Engagement post={post}>
      {(engagement) => <span className="number">{formatNumber(engagement)} so far</span>}
    </Engagement>
  );
};
