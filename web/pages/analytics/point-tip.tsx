import { useNetworks } from '#web/base/networks.ts';
import { joinWithAnd } from '#web/parts/join-names.ts';
import { formatNumber } from '#web/parts/number.ts';
import { titleOf } from '#web/parts/post-title.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './chart.module.css';
import { longDate, shortDate } from './format-dates.ts';
import type { DayPost } from './numbers.ts';
import type { Point } from './points.ts';
import { useSummaries } from './use-summaries.ts';

/** The chosen day, and one of its posts. */
export const PointTip = ({
  point,
  unit,
  post,
  x,
  isLeft,
}: {
  point: Point;
  unit: 'day' | 'week';
  post: DayPost | undefined;
  x: number;
  isLeft: boolean;
}) => {
  const { networksOf } = useAccounts();
  const networks = useNetworks();
  const thumbnail = useSummaries(post ? [post.postId] : []).get(post?.postId ?? '')?.thumbnail;
  const names = post ? [...new Set(networksOf(post.accountIds))].map((network) => networks.of(network).name) : [];
  return (
    <div className={styles.tip} data-left={isLeft || undefined} style={{ left: x }} aria-hidden="true">
      {thumbnail && <Thumbnail {...thumbnail} size={40} />}
      <div>
        <p className={styles.tipTitle}>
          {unit === 'week' ? `Week from ${shortDate(point.date)}` : longDate(point.date)}
          {!point.isUnread && `: ${formatNumber(point.now)}${point.isUnfinished ? ' so far' : ''}`}
        </p>
        {post && (
          <>
            <p className="clamp" dir="auto">
              {titleOf(post.text) || 'Post without text'}
            </p>
            <p>
              {post.engagement === undefined ? 'No numbers' : formatNumber(post.engagement)}
              {point.posts > 1 && post.engagement !== undefined && ' of them'}
              {names.length > 0 && `, ${joinWithAnd(names)}`}
            </p>
          </>
        )}
        {point.before !== undefined && <p>{formatNumber(point.before)} before</p>}
      </div>
    </div>
  );
};
