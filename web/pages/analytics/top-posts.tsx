import { Link } from '@tanstack/react-router';
import { AlignLeft } from 'lucide-react';
import { useState } from 'react';
import type { Summary } from '#generated/app-client';
import { formatDay } from '#web/base/time.ts';
import { Engagement } from '#web/parts/engagement.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { titleOf } from '#web/parts/post-title.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { Panel } from './panel.tsx';
import styles from './top-posts.module.css';
import { useSummaries } from './use-summaries.ts';

const collapsedCount = 5;

export const TopPosts = ({ posts, zone }: { posts: Summary['topPosts']; zone: string }) => {
  const [isExpanded, setIsExpanded] = useState(false);
  const { networksOf } = useAccounts();
  const summaries = useSummaries(posts.map(({ postId }) => postId));
  return (
    <Panel
      title="Top posts"
      side={
        posts.length > collapsedCount && (
          <button
            type="button"
            className={styles.more}
            aria-expanded={isExpanded}
            onClick={() => setIsExpanded(!isExpanded)}
          >
            {isExpanded ? 'First five' : posts.length === 10 ? 'All ten' : `All ${posts.length}`}
          </button>
        )
      }
    >
      <ol>
        {posts
          .slice(0, isExpanded ? posts.length : collapsedCount)
          .map(({ postId, text, accountIds, engagement, publishedAt }) => {
            const { thumbnail, numbers } = summaries.get(postId) ?? {};
            return (
              <li key={postId} className={styles.row}>
                {thumbnail ? (
                  <Thumbnail {...thumbnail} />
                ) : (
                  <span className={styles.plain}>
                    <AlignLeft size={16} aria-hidden="true" />
                  </span>
                )}
                <span className={styles.text}>
                  <Link to="/posts/$id" params={{ id: postId }} className={`one-line ${styles.link}`} dir="auto">
                    {titleOf(text) || 'Post without text'}
                  </Link>
                  <span className="row caption text-2">
                    <NetworkBadges networks={networksOf(accountIds)} size={16} max={4} />
                    <time dateTime={publishedAt}>{formatDay(publishedAt, zone)}</time>
                  </span>
                </span>
                <b className="number">
                  <Engagement post={{ engagement, numbers: engagement > 0 ? 'Read' : numbers }}>
                    {formatNumber}
                  </Engagement>
                </b>
              </li>
            );
          })}
      </ol>
    </Panel>
  );
};
