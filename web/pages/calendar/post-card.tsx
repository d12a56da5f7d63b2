import { Link } from '@tanstack/react-router';
import { Heart, TriangleAlert } from 'lucide-react';
import { dayMs } from '#contracts/time';
import type { PostSummary } from '#generated/app-client';
import { now } from '#web/base/time.ts';
import { Engagement } from '#web/parts/engagement.tsx';
import { blocksIn, forecastTitle } from '#web/parts/forecast.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { formatNumber } from '#web/parts/number.ts';
import { PostTitle } from '#web/parts/post-title.tsx';
import { StateIcon } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { CardMenu } from './card-menu.tsx';
import styles from './post-card.module.css';
import type { Choosing } from './time-dialog.tsx';
import type { Item } from './use-items.ts';

/** `isEntry`: two lines in a month. `tabIndex` is that of the link and its menu. */
export const PostCard = ({
  item,
  onChoose,
  isEntry = false,
  tabIndex,
}: {
  item: Item;
  onChoose: (choosing: Choosing) => void;
  isEntry?: boolean;
  tabIndex: 0 | -1;
}) => {
  const { networksOf } = useAccounts();
  const { post, wall, state } = item;
  const networks = [...new Set(networksOf(post.accountIds))];
  // `41 so far` needs the room of two badges.
  const badges = <Badges networks={networks} most={isEntry || isFirstDay(post) ? 2 : 4} />;
  const last = isEntry ? undefined : lastLineOf(item);
  const [blocks] = blocksIn(post.forecast);
  return (
    <div
      className={styles.card}
      data-state={state}
      data-entry={isEntry || undefined}
      data-last={Boolean(last)}
      data-foretold={blocks !== undefined || undefined}
    >
      {/* Without this the browser would drag the link's URL. */}
      <Link to="/posts/$id" params={{ id: post.id }} className={styles.open} draggable={false} tabIndex={tabIndex}>
        <span className={styles.top}>
          <StateIcon state={state} size={14} />
          <time className={styles.time} dateTime={item.at}>
            {wall.slice(11, 16)}
          </time>
          {isEntry && badges}
          {isEntry && blocks && (
            <span className={styles.warning} title={forecastTitle(blocks)}>
              <TriangleAlert size={14} aria-hidden="true" />
              <span className="hidden">{forecastTitle(blocks)}</span>
            </span>
          )}
        </span>
        {post.thumbnail && (
          <span className={styles.picture}>
            <Thumbnail {...post.thumbnail} size={isEntry || last ? 32 : 36} />
          </span>
        )}
        <span className={styles.text} dir="auto">
          <PostTitle text={post.text} />
        </span>
        {!isEntry && (
          <span className={styles.foot}>
            {badges}
            {post.numbers && <CardEngagement post={post} />}
          </span>
        )}
        {last && <span className={styles.last}>{last}</span>}
      </Link>
      <CardMenu item={item} onChoose={onChoose} className={styles.menu} tabIndex={tabIndex} />
    </div>
  );
};

/** Narrow cards show two networks; which of the two variants is visible is decided by the width of the card. */
const Badges = ({ networks, most }: { networks: readonly string[]; most: number }) => (
  <span className={styles.badges}>
    <span className={styles.wide}>
      <NetworkBadges networks={networks} size={16} max={most} />
    </span>
    <span className={styles.narrow}>
      <NetworkBadges networks={networks} size={16} max={2} />
    </span>
  </span>
);

const isFirstDay = ({ publishedAt }: PostSummary) =>
  publishedAt !== undefined && now().getTime() - Date.parse(publishedAt) < dayMs;

/** `312`, `41 so far` on the first day. */
const CardEngagement = ({ post }: { post: PostSummary }) => (
  <span className={`number ${styles.engagement}`}>
    <Engagement post={post}>
      {(engagement) => (
        <>
          <Heart size={13} aria-hidden="true" />
          <span title="Engagement">
            <span className="hidden">Engagement </span>
            {formatNumber(engagement)}
          </span>
          {isFirstDay(post) && <span className={styles.soFar}>so far</span>}
        </>
      )}
    </Engagement>
  </span>
);

/** The last line of the card, such as `Failed on 1 of 2`. */
const lastLineOf = ({ state, post: { results, forecast } }: Item) => {
  const [blocks] = blocksIn(forecast);
  if (blocks) return [blocks.provider, blocks.short].filter(Boolean).join(': ');
  if (state !== 'Failed' && state !== 'Uncertain') return undefined;
  const troubles = results.filter(({ ok }) => !ok).length;
  return troubles < results.length ? `${state} on ${troubles} of ${results.length}` : state;
};
