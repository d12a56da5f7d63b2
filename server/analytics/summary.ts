import { engagementMetrics, metricNames, type Summary, type Totals } from '#contracts/analytics';
import type { Caller } from '#server/context';
import { badInput } from '#server/errors';
import type { Networks } from '#server/networks/registry';
import type { AnalyticsStore, PublishedRow } from './store.ts';

const longestRangeMs = 400 * 24 * 60 * 60 * 1000;
const topPostCount = 10;
const confidentPosts = 3;

export type Analytics = ReturnType<typeof createAnalytics>;

/** SPEC, analytics.summary: what was published in a range, and how it did. */
export const createAnalytics = ({ store, networks }: { store: AnalyticsStore; networks: Networks }) => ({
  summary: async (
    { workspaceId }: Caller,
    { from, to, accountIds, timeZone }: { from: string; to: string; accountIds: string[]; timeZone: string },
  ): Promise<Summary> => {
    checkRange(from, to);
    const rows = await store.published(workspaceId, from, to, accountIds, knownZone(timeZone));
    const provider = (row: PublishedRow) => networks.get(row.network).name;
    const posts = [...grouped(rows, (row) => row.post_id)].map(([postId, ofPost]) => summed(postId, ofPost));
    return {
      from,
      to,
      timeZone,
      totals: totalsOf(rows),
      byAccount: [...grouped(rows, (row) => row.account_id)].map(([accountId, [first, ...others]]) => ({
        accountId,
        provider: provider(first),
        totals: totalsOf([first, ...others]),
      })),
      byNetwork: [...grouped(rows, provider)].map(([name, ofNetwork]) => ({
        provider: name,
        totals: totalsOf(ofNetwork),
      })),
      topPosts: posts
        .sort((a, b) => b.engagement - a.engagement || b.publishedAt.localeCompare(a.publishedAt))
        .slice(0, topPostCount)
        .map(({ weekday: _, hour: __, ...post }) => post),
      bestTimes: bestTimesOf(posts),
    };
  },
});

const checkRange = (from: string, to: string) => {
  const lengthMs = Date.parse(to) - Date.parse(from);
  if (lengthMs <= 0) throw badInput({ path: 'to', code: 'BadRange', message: 'must be after from' });
  if (lengthMs > longestRangeMs) {
    throw badInput({ path: 'to', code: 'BadRange', message: 'must be at most 400 days after from', limit: 400 });
  }
};

/** An unknown name counts as UTC (SPEC). An offset is no name, and PostgreSQL would read its sign the other way. */
const knownZone = (timeZone: string) => {
  if (!/^[A-Za-z]/.test(timeZone)) return 'UTC';
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
};

const grouped = <Item>(items: readonly Item[], keyOf: (item: Item) => string) => {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return groups;
};

const engagementOf = ({ metrics }: PublishedRow) =>
  engagementMetrics.reduce((sum, name) => sum + (metrics?.[name] ?? 0), 0);

/** A post counts once, however many accounts it went to. */
const totalsOf = (rows: readonly PublishedRow[]): Totals => {
  const sums = Object.fromEntries(
    metricNames.map((name) => [name, rows.reduce((sum, { metrics }) => sum + (metrics?.[name] ?? 0), 0)]),
  ) as Omit<Totals, 'posts' | 'engagement'>;
  return {
    posts: new Set(rows.map((row) => row.post_id)).size,
    ...sums,
    engagement: rows.reduce((sum, row) => sum + engagementOf(row), 0),
  };
};

/** Rows come by time: the first is when the post went out. */
const summed = (postId: string, rows: readonly [PublishedRow, ...PublishedRow[]]) => ({
  postId,
  text: rows[0].text,
  publishedAt: rows[0].published_at,
  accountIds: rows.map((row) => row.account_id),
  engagement: rows.reduce((sum, row) => sum + engagementOf(row), 0),
  views: rows.reduce((sum, { metrics }) => sum + (metrics?.views ?? 0), 0),
  weekday: rows[0].weekday,
  hour: rows[0].hour,
});

const bestTimesOf = (posts: readonly ReturnType<typeof summed>[]): Summary['bestTimes'] =>
  [...grouped(posts, ({ weekday, hour }) => `${weekday} ${hour}`).values()]
    .map((atThatTime) => {
      const [{ weekday, hour }] = atThatTime;
      const engagement = atThatTime.reduce((sum, post) => sum + post.engagement, 0);
      return {
        weekday,
        hour,
        posts: atThatTime.length,
        engagement,
        average: engagement / atThatTime.length,
        lowConfidence: atThatTime.length < confidentPosts,
      };
    })
    .sort((a, b) => a.weekday - b.weekday || a.hour - b.hour);
