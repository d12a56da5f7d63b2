import type { Account, Coverage, Summary } from '#generated/app-client';
import { csvLine } from '#server/planning/transfer/csv';
import { handleOf } from '#web/base/networks.ts';
import { whyUnknown } from '#web/parts/why-unknown.ts';
import { formatHour } from './format-dates.ts';
import type { Numbers } from './numbers.ts';

const metrics = [
  'posts',
  'engagement',
  'views',
  'reach',
  'likes',
  'comments',
  'shares',
  'quotes',
  'saves',
  'clicks',
] as const;

type Cells = Partial<Record<(typeof metrics)[number], number>>;

/** One table for everything, so that a spreadsheet can filter it by the first column. */
export const toCsv = ({ summary, days, coverage }: Numbers, accounts: ReadonlyMap<string, Account>) => {
  const row = (about: string, name: string, cells: Cells) => [about, name, ...metrics.map((metric) => cells[metric])];
  const nameOf = ({ accountId, provider }: Summary['byAccount'][number]) => {
    const account = accounts.get(accountId);
    return `${provider} ${account ? handleOf(account) : accountId}`;
  };
  /** Empty if nothing was read: 0 would look like a measured value. */
  const cellsOf = (totals: Cells, of: (account: Coverage['accounts'][number]) => boolean): Cells => {
    const covered = { accounts: coverage.accounts.filter(of) };
    const isShown = (metric: (typeof metrics)[number]) =>
      metric === 'posts' || whyUnknown(covered, metric) === undefined;
    return Object.fromEntries(metrics.filter(isShown).map((metric) => [metric, totals[metric]]));
  };
  const rows = [
    ['about', 'name', ...metrics],
    row(
      'total',
      `${summary.from} to ${summary.to} ${summary.timeZone}`,
      cellsOf(summary.totals, () => true),
    ),
    ...days.map(({ date, readPosts, ...cells }) => row('day', date, readPosts > 0 ? cells : { posts: cells.posts })),
    ...summary.byNetwork.map(({ provider, totals }) =>
      row(
        'network',
        provider,
        cellsOf(totals, (account) => account.provider === provider),
      ),
    ),
    ...summary.byAccount.map((entry) =>
      row(
        'account',
        nameOf(entry),
        cellsOf(entry.totals, ({ accountId }) => accountId === entry.accountId),
      ),
    ),
    ...summary.bestTimes.map((time) => row('time', formatHour(time), time)),
    ...summary.topPosts.map(({ text, engagement, views }) =>
      row(
        'post',
        text,
        cellsOf({ posts: 1, engagement, views }, () => true),
      ),
    ),
  ];
  return rows.map(csvLine).join('');
};
