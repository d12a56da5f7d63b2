import { Link } from '@tanstack/react-router';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { PostTitle } from '#web/parts/post-title.tsx';
import { StateIcon } from '#web/parts/state-chip.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { CardMenu } from './card-menu.tsx';
import styles from './post-card.module.css';
import type { Choosing } from './time-dialog.tsx';
import type { Item } from './use-items.ts';

export const PostCard = ({
  item,
  onChoose,
  isLine = false,
}: {
  item: Item;
  onChoose: (choosing: Choosing) => void;
  isLine?: boolean;
}) => {
  const { networksOf } = useAccounts();
  const { post, wall, state } = item;
  const networks = [...new Set(networksOf(post.accountIds))];
  return (
    <div className={styles.card} data-state={state} data-line={isLine || undefined}>
      {/* Without this the browser would drag the link's URL. */}
      <Link to="/posts/$id" params={{ id: post.id }} className={styles.open} draggable={false}>
        <span className={styles.top}>
          <StateIcon state={state} size={14} />
          <time className={styles.time} dateTime={item.at}>
            {wall.slice(11, 16)}
          </time>
          {!isLine && (
            <span className={styles.badges}>
              <NetworkBadges networks={networks} size={16} max={networks.length > 3 ? 2 : 3} />
            </span>
          )}
        </span>
        <span className={styles.text} dir="auto">
          <PostTitle text={post.text} />
        </span>
      </Link>
      <CardMenu item={item} onChoose={onChoose} className={styles.menu} />
    </div>
  );
};
