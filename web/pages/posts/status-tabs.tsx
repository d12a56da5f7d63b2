import { Link } from '@tanstack/react-router';
import { Trash2 } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { usePermissions } from '#web/base/session.ts';
import { formatNumber } from '#web/parts/number.ts';
import styles from './posts.module.css';
import { type Filter, type Status, statuses, useCounts } from './use-groups.ts';

export const StatusTabs = ({ chosen, filter }: { chosen: string | undefined; filter: Filter }) => {
  const { canWrite } = usePermissions();
  const counts = useCounts(filter);
  const nav = useRef<HTMLElement>(null);
  const hasCounts = counts !== undefined;
  // Not all tabs fit on a phone, and counts and fonts widen them: keep the current tab in view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: both move the chosen tab
  useEffect(() => {
    const tab = nav.current?.querySelector('[aria-current]');
    void document.fonts.ready.then(() => tab?.scrollIntoView({ block: 'nearest', inline: 'nearest' }));
  }, [chosen, hasCounts]);
  const all = counts && Object.values(counts).reduce((sum, count) => sum + count, 0);
  const tabs = [[undefined, 'All', all], ...statuses.map((one) => [one, words[one], counts?.[one]] as const)] as const;
  // A tab counts as active only if its whole search matches the address.
  const { query, accountIds, labelIds } = filter;
  const otherSearch = {
    ...(query && { q: query }),
    ...(accountIds && { accounts: accountIds }),
    ...(labelIds && { labels: labelIds }),
  };
  return (
    <nav ref={nav} className={styles.tabs} aria-label="Posts by state">
      {tabs.map(([one, word, count]) => (
        <Link
          key={word}
          to="/posts"
          search={{ ...(one && { status: one }), ...otherSearch }}
          activeOptions={{ exact: true, includeSearch: true }}
          className={styles.tab}
        >
          {word}
          {count !== undefined && (
            <span className="number" data-bad={(one === 'Failed' && count > 0) || undefined}>
              {formatNumber(count)}
            </span>
          )}
        </Link>
      ))}
      {canWrite && (
        <Link to="/posts" search={{ status: 'Bin' }} className={`${styles.tab} ${styles.binTab}`}>
          <Trash2 size={14} aria-hidden="true" /> Bin
        </Link>
      )}
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
