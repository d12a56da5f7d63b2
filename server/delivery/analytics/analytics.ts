import {
  type Coverage,
  engagementMetrics,
  type MetricName,
  metricNames,
  type Summary,
  type Totals,
} from '#contracts/analytics';
import { canonicalInstant } from '#contracts/instant';
import type { Caller } from '#server/base/context';
import { badInput } from '#server/base/errors';
import { statisticsOf } from '#server/connecting/accounts/accounts';
import type { Networks } from '#server/networks/registry';
import type { AnalyticsStore, SummaryRow } from './store.ts';
import { dayIn, offsetPeriodsOf } from './time-zone.ts';

const maxRangeMs = 400 * 24 * 60 * 60 * 1000;
const confidentPosts = 3;
const mostPerDay = 5;

interface RangeInZone {
  readonly from: string;
  readonly to: string;
  readonly accountIds: string[];
  readonly timeZone: string;
}

export type Analytics = ReturnType<typeof createAnalytics>;

/** SPEC, analytics.summary. */
export const createAnalytics = ({ store, networks }: { store: AnalyticsStore; networks: Networks }) => ({
  summary: async (
    { workspaceId }: Caller,
    { from, to, accountIds, timeZone }: { from: string; to: string; accountIds: string[]; timeZone: string },
  ): Promise<Summary> => {
    const range = { from: canonicalInstant(from) ?? from, to: canonicalInstant(to) ?? to, accountIds };
    checkRange(range);
    const periods = offsetPeriodsOf(range.from, range.to, timeZone);
    const { accounts, repeats, hours, topPosts } = await store.summarize(workspaceId, range, periods);
    const bestTimes = bestTimesOf(hours);
    return {
      from,
      to,
      timeZone,
      totals: totalsOf(sumOf(bestTimes, 'posts'), accounts),
      byAccount: accounts.map((account) => ({
        accountId: account.id,
        provider: networks.get(account.network).name,
        totals: totalsOf(account.posts, [account]),
      })),
      byNetwork: [...new Set(accounts.map(({ network }) => network))].sort().map((network) => {
        const ofNetwork = accounts.filter((account) => account.network === network);
        const repeated = repeats.filter((repeat) => repeat.network === network);
        const posts = sumOf(ofNetwork, 'posts') - sumOf(repeated, 'posts');
        return { provider: networks.get(network).name, totals: totalsOf(posts, ofNetwork) };
      }),
      topPosts,
      bestTimes,
    };
  },

  series: async (
    { workspaceId }: Caller,
    { from, to, accountIds, timeZone }: { from: string; to: string; accountIds: string[]; timeZone: string },
  ) => {
    checkRange({ from, to });
    return { days: await store.days(workspaceId, { from, to, accountIds }, offsetPeriodsOf(from, to, timeZone)) };
  },

  bestOfDays: async ({ workspaceId }: Caller, { timeZone, ...range }: RangeInZone) => {
    checkRange(range);
    const periods = offsetPeriodsOf(range.from, range.to, timeZone);
    const rows = await store.bestOfDays(workspaceId, range, periods, mostPerDay);
    return { posts: rows.map(({ engagement, ...post }) => ({ ...post, ...(engagement !== null && { engagement }) })) };
  },

  /**
   * What the numbers cover, so that nobody compares with days before an account was connected, or reads missing numbers
   * as 0.
   */
  coverage: async ({ workspaceId }: Caller, { timeZone, ...range }: RangeInZone): Promise<Coverage> => {
    checkRange(range);
    const rows = await store.coverage(workspaceId, range);
    const [beganAt] = rows.flatMap((row) => row.beganAt ?? []).sort();
    const readAt = rows
      .flatMap((row) => row.readAt ?? [])
      .sort()
      .at(-1);
    const now = rows[0]?.now;
    const isToday =
      now !== undefined && Date.parse(now) >= Date.parse(range.from) && Date.parse(now) < Date.parse(range.to);
    return {
      ...(beganAt !== undefined && { beganAt }),
      ...(readAt !== undefined && { readAt }),
      ...(isToday && { unfinishedDay: dayIn(now, timeZone) }),
      accounts: rows
        .filter(({ account, posts }) => account.disconnectedAt === null || posts > 0)
        .map(({ account, posts, readPosts }) => {
          const network = networks.get(account.network);
          return {
            accountId: account.id,
            provider: network.name,
            statistics: account.disconnectedAt === null ? statisticsOf(account, network).statistics : 'Disconnected',
            metrics: [...network.constraints.metrics],
            posts,
            readPosts,
          };
        }),
    };
  },
});

const checkRange = ({ from, to }: { from: string; to: string }) => {
  if (to <= from) throw badInput({ path: 'to', code: 'BadRange', message: 'must be after from' });
  // A Date drops microseconds, so they are compared separately when the lengths are equal.
  const lengthMs = Date.parse(to) - Date.parse(from);
  if (lengthMs > maxRangeMs || (lengthMs === maxRangeMs && microsecondsOf(to) > microsecondsOf(from))) {
    throw badInput({ path: 'to', code: 'BadRange', message: 'must be at most 400 days after from', limit: 400 });
  }
};

const microsecondsOf = (instant: string) => instant.slice(-4);

const sumOf = <Name extends string>(items: readonly Record<Name, number | null>[], name: Name) =>
  items.reduce((sum, item) => sum + (item[name] ?? 0), 0);

const totalsOf = (posts: number, accounts: readonly Record<MetricName, number | null>[]): Totals => {
  const sums = Object.fromEntries(metricNames.map((name) => [name, sumOf(accounts, name)])) as Record<
    MetricName,
    number
  >;
  return { posts, ...sums, engagement: engagementMetrics.reduce((sum, name) => sum + sums[name], 0) };
};

const bestTimesOf = (hours: SummaryRow['hours']): Summary['bestTimes'] => {
  const byHour: { posts: number; engagement: number }[] = [];
  for (const { hour, posts, engagement } of hours) {
    const sum = byHour[hour] ?? { posts: 0, engagement: 0 };
    byHour[hour] = { posts: sum.posts + posts, engagement: sum.engagement + engagement };
  }
  // flatMap skips the holes of a sparse array: hours without a post.
  return byHour.flatMap(({ posts, engagement }, hour) => ({
    weekday: 1 + Math.floor(hour / 24),
    hour: hour % 24,
    posts,
    engagement,
    average: engagement / posts,
    lowConfidence: posts < confidentPosts,
  }));
};
