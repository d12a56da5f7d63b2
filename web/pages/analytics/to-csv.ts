import type { Account, Summary } from '#generated/app-client';
import { csvLine } from '#server/transfer/csv';
import { handleOf } from '#web/networks.ts';
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
export const toCsv = ({ summary, days }: Numbers, accounts: ReadonlyMap<string, Account>) => {
  const row = (about: string, name: string, cells: Cells) => [about, name, ...metrics.map((metric) => cells[metric])];
  const nameOf = ({ accountId, provider }: Summary['byAccount'][number]) => {
    const account = accounts.get(accountId);
    return `${provider} ${account ? handleOf(account) : accountId}`;
  };
  const rows = [
    ['about', 'name', ...metrics],
    row('total', `${summary.from} to ${summary.to} ${summary.timeZone}`, summary.totals),
    ...days.map(({ date, ...cells }) => row('day', date, cells)),
    ...summary.byNetwork.map(({ provider, totals }) => row('network', provider, totals)),
    ...summary.byAccount.map((entry) => row('account', nameOf(entry), entry.totals)),
    ...summary.bestTimes.map((time) => row('time', formatHour(time), time)),
    ...summary.topPosts.map(({ text, engagement, views }) => row('post', text, { posts: 1, engagement, views })),
  ];
  return rows.map(csvLine).join('');
};
