import { ActionIcon, Tooltip } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Download, Globe } from 'lucide-react';
import { app } from '#web/base/api.ts';
import { cityOf } from '#web/base/time.ts';
import { AccountFilter } from '#web/parts/account-filter.tsx';
import { FaultBanner } from '#web/parts/fault-banner.tsx';
import { PageHeader } from '#web/parts/page-header.tsx';
import { PartBoundaries } from '#web/parts/part-boundary.tsx';
import { saveCsv } from '#web/parts/save-file.ts';
import { Column } from '#web/parts/section.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import { BestTimes } from './best-times.tsx';
import { ByNetwork } from './by-network.tsx';
import { comparisonOf } from './completeness.ts';
import { NothingInRange, NothingYet } from './empty-states.tsx';
import { Headline } from './headline.tsx';
import type { Numbers } from './numbers.ts';
import { OverTime } from './over-time.tsx';
import styles from './page.module.css';
import { RangePicker } from './range-picker.tsx';
import { AnalyticsSkeleton } from './skeleton.tsx';
import { toCsv } from './to-csv.ts';
import { TopPosts } from './top-posts.tsx';
import { Totals } from './totals.tsx';
import { useNumbers } from './use-numbers.ts';
import { useRange } from './use-range.ts';

export default function AnalyticsPage() {
  const view = useRange();
  const { range, accountIds, zone } = view;
  const query = useNumbers(range, accountIds, zone);
  const { data } = query;
  const { byId } = useAccounts();
  const hasPublished = useHasPublished();
  const save = (numbers: Numbers) =>
    saveCsv(toCsv(numbers, byId), `posthorn-${numbers.range.firstDay}-to-${numbers.range.lastDay}.csv`);
  return (
    <>
      <PageHeader
        title="Analytics"
        meta={
          <span className={styles.zone}>
            <Globe size={14} aria-hidden="true" />
            <span className="hidden">Times in {zone}</span>
            <span aria-hidden="true">{cityOf(zone)}</span>
          </span>
        }
        actions={
          <>
            <RangePicker {...view} />
            <AccountFilter withBadges chosen={accountIds} onChange={(ids) => void view.setAccounts(ids)} />
            <Tooltip label="Download as CSV">
              <ActionIcon
                aria-label="Download as CSV"
                className="desk-only"
                // Always rendered: if it appeared later, it would move the buttons beside it.
                disabled={!data || query.isPlaceholderData || data.summary.totals.posts === 0}
                onClick={() => data && save(data)}
              >
                <Download size={18} strokeWidth={1.75} aria-hidden="true" />
              </ActionIcon>
            </Tooltip>
          </>
        }
      />
      <Column width="full">
        <div className={styles.page} aria-busy={query.isPlaceholderData}>
          {query.error && (
            <FaultBanner
              fault={query.error}
              title="The numbers could not be loaded. Your posts are safe."
              onRetry={() => void query.refetch()}
            />
          )}
          {data === undefined && !query.error && <AnalyticsSkeleton />}
          {data &&
            (data.summary.totals.posts > 0 ? (
              <Parts numbers={data} view={view} isOutdated={query.isPlaceholderData} onSave={() => save(data)} />
            ) : (
              hasPublished !== undefined && (hasPublished ? <NothingInRange view={view} /> : <NothingYet view={view} />)
            ))}
        </div>
      </Column>
    </>
  );
}

/** Whether any post was ever sent; undefined while that is loading. */
const useHasPublished = () => {
  const { data } = useQuery({
    queryKey: ['posts', 'counts', { query: '', accountIds: '' }],
    queryFn: ({ signal }) => app.countPosts({ query: '', accountIds: '' }, { signal }),
  });
  return data && data.counts.Published + data.counts.Failed > 0;
};

const Parts = ({
  numbers,
  view: { zone, today },
  isOutdated,
  onSave,
}: {
  numbers: Numbers;
  view: ReturnType<typeof useRange>;
  isOutdated: boolean;
  onSave: () => void;
}) => {
  const { range, summary, coverage } = numbers;
  const isColumn = useMediaQuery('(max-width: 74.99em)', matchMedia('(max-width: 74.99em)').matches);
  const comparison = comparisonOf(range, coverage.beganAt, zone);
  const byNetwork = <ByNetwork key="network" summary={summary} coverage={coverage} />;
  const bestTimes = <BestTimes key="times" times={summary.bestTimes} zone={zone} today={today} />;
  return (
    <>
      <PartBoundaries>
        <Headline numbers={numbers} range={range} comparison={comparison} zone={zone} />
        <Totals numbers={numbers} comparison={comparison} days={range.days} />
      </PartBoundaries>
      <div className={styles.grid}>
        <PartBoundaries>
          <OverTime numbers={numbers} range={range} comparison={comparison} today={today} zone={zone} />
          {isColumn ? [bestTimes, byNetwork] : [byNetwork, bestTimes]}
          <TopPosts posts={summary.topPosts} zone={zone} />
        </PartBoundaries>
      </div>
      <button type="button" className={`phone-only ${styles.save}`} disabled={isOutdated} onClick={onSave}>
        <Download size={16} aria-hidden="true" /> Download as CSV
      </button>
      <p className="phone-only caption text-3">Times in {zone}</p>
    </>
  );
};
