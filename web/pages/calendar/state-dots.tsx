import styles from './state-dots.module.css';
import type { Item } from './use-items.ts';

const mostDots = 4;

/** One dot per post. States differ by shape as well as by colour. */
export const StateDots = ({ items }: { items: readonly Item[] }) => (
  <span className={styles.dots} aria-hidden="true">
    {items.slice(0, mostDots).map(({ post, state }) => (
      <i key={post.id} data-state={state} />
    ))}
  </span>
);
