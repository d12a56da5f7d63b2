import { z } from 'zod';
import { action, appRoute, byId, CanonicalInstant, Id, Instant, InstantAsWritten, type Route } from './define.ts';
import { engagementMetrics, type MetricName, metricNames } from './metrics.ts';
import { everyone } from './scopes.ts';

export { engagementMetrics, type MetricName, metricNames };

const meaning: Record<MetricName, string> = {
  views: 'Times it was shown',
  reach: 'People who saw it',
  likes: 'Likes, favourites, reactions',
  comments: 'Comments and replies',
  shares: 'Shares, reposts, boosts',
  quotes: 'Quotes',
  saves: 'Saves and bookmarks',
  clicks: 'Clicks',
};
const each = <S extends z.ZodType>(schema: (text: string) => S) =>
  Object.fromEntries(metricNames.map((name) => [name, schema(meaning[name])])) as Record<MetricName, S>;

export const Metrics = z
  .object({
    ...each((text) => z.int().optional().describe(`${text}; absent when the network does not report it`)),
    fetchedAt: z
      .string()
      .describe(
        'ISO-8601 instant of the read; the numbers are those of the network at that time. Without numbers: when the first read failed',
      ),
    error: z
      .string()
      .optional()
      .describe('Present when the latest read failed; the numbers are then those of the read before'),
  })
  .meta({ id: 'Metrics' });
export type Metrics = z.output<typeof Metrics>;

export const MetricsEntry = z
  .object({
    accountId: z.string().describe('Account it was published to'),
    provider: z.string().describe('Display name of the network'),
    externalId: z.string().describe("The network's own post id"),
    publishedAt: CanonicalInstant,
    metrics: Metrics.optional().describe('Absent until the first read'),
    nextFetchAt: z
      .string()
      .optional()
      .describe('ISO-8601 instant of the next read; absent when the schedule is over or the network reports nothing'),
  })
  .meta({ id: 'MetricsEntry', description: 'Statistics of one post on one account' });
export type MetricsEntry = z.output<typeof MetricsEntry>;

export const Totals = z
  .object({
    posts: z.int().describe('Posts that were published; one sent to several accounts counts once'),
    ...each((text) => z.int().describe(text)),
    engagement: z.int().describe('likes + comments + shares + quotes + saves'),
  })
  .meta({ id: 'Totals', description: 'Sums over the posts of the range' });
export type Totals = z.output<typeof Totals>;

export const Summary = z
  .object({
    from: z.string().describe('As sent'),
    to: z.string().describe('As sent'),
    timeZone: z.string().describe('As sent'),
    totals: Totals,
    byAccount: z
      .array(
        z.object({
          accountId: z.string().describe('Account the posts went to'),
          provider: z.string().describe('Display name of its network'),
          totals: Totals,
        }),
      )
      .describe('The same per account'),
    byNetwork: z
      .array(z.object({ provider: z.string().describe('Display name of the network'), totals: Totals }))
      .describe('The same per network'),
    topPosts: z
      .array(
        z.object({
          postId: z.string().describe('Post id'),
          text: z.string().describe('Text of the first item of the original version'),
          publishedAt: CanonicalInstant,
          accountIds: z.array(z.string()).describe('Accounts it was published to, of those in the request'),
          engagement: z.int().describe('Over these accounts'),
          views: z.int().describe('Over these accounts'),
        }),
      )
      .describe('The 10 posts with the highest engagement, summed over their accounts'),
    bestTimes: z
      .array(
        z.object({
          weekday: z.int().describe('1 Monday to 7 Sunday, in timeZone'),
          hour: z.int().describe('0 to 23, in timeZone'),
          posts: z.int().describe('Posts published then'),
          engagement: z.int().describe('Of those posts together'),
          average: z.number().describe('Engagement per post'),
          lowConfidence: z.boolean().describe('True with fewer than 3 posts'),
        }),
      )
      .describe('One entry for each weekday and hour that had posts'),
  })
  .meta({ id: 'Summary', description: 'What was published in a range, and how it performed' });
export type Summary = z.output<typeof Summary>;

const noTotals: Totals = {
  posts: 0,
  views: 0,
  reach: 0,
  likes: 0,
  comments: 0,
  shares: 0,
  quotes: 0,
  saves: 0,
  clicks: 0,
  engagement: 0,
};
const exampleTotals: Totals = { ...noTotals, posts: 1, likes: 12, comments: 3, shares: 2, engagement: 17 };

export const analyticsActions = {
  'analytics.summary': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'OnRequest',
    summary: 'Summarise a time range',
    description:
      'Totals, top posts and best times of the posts published from `from` (inclusive) to `to` (exclusive, at most 400 days later). Posts count by publication time, on each account that has them, also if another account failed; posts.list with status Published has only those that every account has.',
    input: z.strictObject({
      from: InstantAsWritten.describe('Start of the range, inclusive'),
      to: InstantAsWritten.describe('End of the range, exclusive; at most 400 days after from'),
      accountIds: z.array(Id).max(500).default([]).describe('Only these accounts; empty means every account'),
      timeZone: z
        .string()
        .default('UTC')
        .describe('IANA name for weekday and hour of bestTimes; an unknown name counts as UTC'),
    }),
    output: Summary,
    errors: [],
    examples: [
      {
        title: 'A week',
        input: { from: '2026-11-02T00:00:00Z', to: '2026-11-09T00:00:00Z', timeZone: 'Europe/Berlin' },
        output: {
          from: '2026-11-02T00:00:00Z',
          to: '2026-11-09T00:00:00Z',
          timeZone: 'Europe/Berlin',
          totals: exampleTotals,
          byAccount: [{ accountId: 'acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6', provider: 'Bluesky', totals: exampleTotals }],
          byNetwork: [{ provider: 'Bluesky', totals: exampleTotals }],
          topPosts: [
            {
              postId: 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1',
              text: 'Posthorn is here',
              publishedAt: '2026-11-03T09:30:00.000000Z',
              accountIds: ['acct_01JCQ2X7M8T9V0W1X2Y3Z4A5B6'],
              engagement: 17,
              views: 0,
            },
          ],
          bestTimes: [{ weekday: 2, hour: 10, posts: 1, engagement: 17, average: 17, lowConfidence: true }],
        },
      },
    ],
  }),
};

export const Coverage = z
  .object({
    beganAt: CanonicalInstant.optional().describe('First publication ever on these accounts; absent without one'),
    unfinishedDay: z.string().optional().describe('Today in timeZone, such as 2026-11-15; absent if not in the range'),
    readAt: CanonicalInstant.optional().describe('Latest read of a number of this range; absent without one'),
    accounts: z
      .array(
        z.object({
          accountId: z.string().describe('Account id'),
          provider: z.string().describe('Display name of its network'),
          statistics: z
            .enum(['Ok', 'Reconnect', 'None', 'Disconnected'])
            .describe(
              'Ok: numbers are read. Reconnect: a permission is missing. None: the network reports nothing. Disconnected: no longer read',
            ),
          metrics: z.array(z.enum(metricNames)).describe('Numbers that its network reports'),
          posts: z.int().describe('Posts published on it in the range'),
          readPosts: z.int().describe('Those with numbers'),
        }),
      )
      .describe('Connected accounts, and others with posts in the range'),
  })
  .meta({ id: 'Coverage', description: 'What the numbers of a range cover' });
export type Coverage = z.output<typeof Coverage>;

const rangeQuery = z.strictObject({
  from: Instant.describe('Start of the range, inclusive'),
  to: Instant.describe('End of the range, exclusive; at most 400 days after from'),
  accountIds: z
    .string()
    .max(20_000)
    .default('')
    .describe('Only these accounts; ids separated by commas; empty means every account'),
  timeZone: z
    .string()
    .default('UTC')
    .describe('IANA name that decides where a day begins; an unknown name counts as UTC'),
});

export const analyticsRoutes = {
  getSeries: appRoute({
    method: 'GET',
    path: '/api/app/analytics/series',
    tag: 'analytics',
    summary: 'Read a range day by day',
    description: 'What was published on each day of the range, and how it performed. Days without a post are left out.',
    roles: everyone,
    query: rangeQuery,
    answer: z.object({
      days: z
        .array(
          z.object({
            date: z.string().describe('Such as 2026-11-15, in timeZone'),
            ...Totals.pick({ posts: true, views: true, engagement: true }).shape,
            readPosts: z.int().describe('Posts with numbers from at least one account'),
          }),
        )
        .describe('The earliest first'),
    }),
  }),

  listBestOfDays: appRoute({
    method: 'GET',
    path: '/api/app/analytics/best-of-days',
    tag: 'analytics',
    summary: 'List the best posts of each day',
    description: 'The posts published on each day of the range, at most five a day, those with the highest engagement.',
    roles: everyone,
    query: rangeQuery,
    answer: z.object({
      posts: z
        .array(
          z.object({
            date: z.string().describe('Day of its publication, such as 2026-11-15, in timeZone'),
            postId: z.string().describe('Post id'),
            text: z.string().describe('The beginning of the original version, at most 200 characters'),
            accountIds: z.array(z.string()).describe('Accounts it was published to that day, of those in the request'),
            engagement: z.int().optional().describe('Over these accounts; absent until the first read'),
          }),
        )
        .describe('By day, the best of a day first'),
    }),
  }),

  getCoverage: appRoute({
    method: 'GET',
    path: '/api/app/analytics/coverage',
    tag: 'analytics',
    summary: 'Read what the numbers of a range cover',
    description:
      'Since when there are posts, which day is not over, and which accounts report which numbers: what a reader must know before comparing totals.',
    roles: everyone,
    query: rangeQuery,
    answer: Coverage,
  }),

  getHistory: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/history',
    tag: 'posts',
    summary: 'Read how the numbers of a post grew',
    description: 'Every successful read of its numbers, per account, oldest first.',
    roles: everyone,
    params: byId('Post id'),
    answer: z.object({
      postId: z.string().describe('Post id'),
      accounts: z
        .array(
          MetricsEntry.pick({ accountId: true, provider: true }).extend({
            reads: z.array(Metrics.omit({ error: true })).describe('The oldest first; a failed read is left out'),
          }),
        )
        .describe('One entry per account it was published to'),
    }),
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type AnalyticsRoutes = typeof analyticsRoutes;
