import { Link } from '@tanstack/react-router';
import { formatNumber } from '#web/parts/number.ts';
import styles from './posts.module.css';
import { type Filter, type Status, statuses, useCounts } from './use-groups.ts';

/** All, and one tab for each state, with how many there are. */
export const StatusTabs = ({ filter }: { filter: Filter }) => {
  const counts = useCounts(filter);
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const tabs = [[undefined, 'All', all], ...statuses.map((one) => [one, words[one], counts[one]] as const)] as const;
  return (
    <nav className={styles.tabs} aria-label="Posts by state">
      {tabs.map(([one, word, count]) => (
        <Link
          key={word}
          to="/posts"
          search={{ status: one, q: filter.query || undefined, accounts: filter.accountIds || undefined }}
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
          className={styles.tab}
        >
          {word}
          <span className="number" data-bad={(one === 'Failed' && count > 0) || undefined}>
            {formatNumber(count)}
          </span>
        </Link>
      ))}
    </nav>
  );
};

const words: Record<Status, string> = {
  Draft: 'Drafts',
  Scheduled: 'Scheduled',
  Publishing: 'Publishing',
  Published: 'Published',
  Failed: 'Failed',
};
