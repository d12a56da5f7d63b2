import { type MetricName, metricNames } from '#contracts/analytics';
import { type Database, sql } from '#server/base/store/database';
import { type AccountRow, accountColumns } from '#server/connecting/accounts/account-row';
import type { OffsetPeriod } from './time-zone.ts';

export const reads = ['accounts', 'posts', 'publications', 'published_posts'];

export interface SummaryRow {
  /** A metric that the network does not report is null. */
  readonly accounts: readonly ({ id: string; network: string; posts: number } & Record<MetricName, number | null>)[];
  /** How often posts are counted twice for a network, because they went to several of its accounts. */
  readonly repeats: readonly { network: string; posts: number }[];
  /** By hour of the week, 0 to 167 starting on Monday. An hour may appear twice. */
  readonly hours: readonly { hour: number; posts: number; engagement: number }[];
  readonly topPosts: {
    postId: string;
    text: string;
    publishedAt: string;
    accountIds: string[];
    engagement: number;
    views: number;
  }[];
}

const inRange = 'p.workspace_id = :workspaceId and p.published_at >= :from and p.published_at < :to';
const best = 'engagement desc, published_at desc, post_id';

/** One row per post, summed over the selected accounts it went to. */
const postColumns = `p.post_id, min(p.published_at) as published_at, sum(p.engagement) as engagement,
  floor(date_part('epoch', min(p.published_at)))::bigint as published_second`;

const hoursOf = (posts: string, condition: string) =>
  `select (p.published_second + period.wall) / 3600 % 168 as hour, count(*) as posts, sum(p.engagement) as engagement
     from unnest(:begins::timestamptz[], :ends::timestamptz[], :walls::bigint[]) as period (begins, ends, wall)
     join ${posts} p on p.published_at >= period.begins and p.published_at < period.ends
    where ${condition} group by 1`;

/** The lateral join runs an index-only scan per account. */
const accountsOf = (accounts: string) =>
  `select a.id, a.network, sums.* from ${accounts} a cross join lateral (
     select count(*) as posts, ${metricNames.map((name) => `sum(p.${name}) as ${name}`).join(', ')}
       from publications p where ${inRange} and p.account_id = a.id
   ) as sums where sums.posts > 0`;

/** Reads texts and targets of the ten best posts only. `offset 0` forces the lookup by the key of the post. */
const answerOf = (targets: string) =>
  `select
     (select coalesce(json_agg(account order by id), '[]') from account) as accounts,
     (select coalesce(json_agg(repeats), '[]') from repeats) as repeats,
     (select coalesce(json_agg(hours), '[]') from hours) as hours,
     (select coalesce(json_agg(json_build_object(
         'postId', post_id, 'text', posts.versions -> 0 -> 'content' -> 0 ->> 'body', 'engagement', engagement,
         'publishedAt', to_char(published_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
         'accountIds', of_post.account_ids, 'views', of_post.views) order by ${best}), '[]')
       from (select * from top order by ${best} limit 10) as top
       join posts on posts.workspace_id = :workspaceId and posts.id = top.post_id cross join lateral (
         select array_agg(account_id order by published_at, account_id) as account_ids, coalesce(sum(views), 0) as views
           from (select p.account_id, p.published_at, p.views from publications p
                  where p.workspace_id = :workspaceId and p.post_id = top.post_id offset 0) as target
          where published_at >= :from and published_at < :to and ${targets}
       ) as of_post) as top_posts`;

/**
 * published_posts stores the sums of each post. They are wrong for a post with targets on both sides of an edge of the
 * range, so those posts are summed here. They were first published up to an hour before the edge, or earlier with
 * targets more than an hour apart.
 */
const inside = 'p.workspace_id = :workspaceId and p.last_published_at < :to';
const straddling = 'p.post_id in (select post_id from straddling)';
const ofAll = sql(
  'analytics.ofAll',
  `with straddling as materialized (
     select post_id from (values (:from::timestamptz), (:to::timestamptz)) as range (edge) cross join lateral (
       select post_id from published_posts where workspace_id = :workspaceId and last_published_at >= edge
          and published_at < edge and published_at >= edge - interval '1 hour'
       union all
       select post_id from published_posts where workspace_id = :workspaceId and last_published_at >= edge
          and published_at < edge - interval '1 hour' and last_published_at - published_at > interval '1 hour'
     ) as near_or_late
   ), part as materialized (
     select ${postColumns} from publications p where ${inRange} and ${straddling} group by p.post_id
   ), hours as (
     ${hoursOf('published_posts', inside)} union all ${hoursOf('part', 'true')}
   ), account as (
     ${accountsOf('(select id, network from accounts where workspace_id = :workspaceId)')}
   ), repeats as (
     select network, count(*) as posts from published_posts p cross join unnest(p.repeats) as network
      where ${inRange} and ${inside} and p.repeats is not null group by network
     union all
     select p.network, count(*) - count(distinct p.post_id) as posts from publications p
      where ${inRange} and ${straddling} group by p.network
   ), top as (
     (select post_id, published_at, engagement from published_posts p where ${inRange} and ${inside} order by ${best} limit 10)
     union all select post_id, published_at, engagement from part
   ) ${answerOf('true')}`,
).holds<SummaryRow>();

/**
 * A subselect, because otherwise PostgreSQL would plan anew for each number of accounts, and planning takes longer than
 * running.
 */
const anyChosen = 'any ((select :accountIds::text[])::text[])';

/**
 * Sums posts over the chosen accounts. Repeats are searched only if several accounts of a network are chosen and the
 * workspace has posts with repeats. Sums use float8, which is exact for these counts and much cheaper than numeric, and
 * date_bin, which is cheaper than extracting parts of a time.
 */
const ofChosen = sql(
  'analytics.ofChosen',
  `with chosen as materialized (
     select id, network, count(*) over (partition by network) > 1 and exists (
              select from published_posts p where p.workspace_id = :workspaceId and p.published_at < :to and p.repeats is not null) as repeats
       from accounts where workspace_id = :workspaceId and id = ${anyChosen}
   ), part as materialized (
     select p.post_id, min(p.published_at) as published_at, sum(p.engagement::float8) as engagement
       from publications p where ${inRange} and p.account_id = ${anyChosen} group by p.post_id
   ), hours as (
     select date_part('epoch', since_monday) / 3600 as hour, posts, engagement from (
       select date_bin('1 hour', published_at, monday) - date_bin('7 days', published_at, monday) as since_monday,
              count(*) as posts, sum(engagement) as engagement
         from (select published_at, engagement, (:mondays::timestamptz[])[width_bucket(published_at, :begins::timestamptz[])] as monday
                 from part offset 0) as post
        group by since_monday) as sums
   ), account as (
     ${accountsOf('(select id, network from chosen)')}
   ), repeats as (
     select network, sum(targets - 1) as posts from (
       select chosen.network, count(*) as targets from chosen join publications p on p.account_id = chosen.id
        where ${inRange} and chosen.repeats group by chosen.network, p.post_id) as post
      group by network
   ), top as (
     select post_id, published_at, engagement from part
   ) ${answerOf(`account_id = ${anyChosen}`)}`,
).holds<SummaryRow>();

const localDay = `to_char(to_timestamp((p.second + coalesce(period.offset_seconds, 0)) / 86400 * 86400) at time zone 'UTC', 'YYYY-MM-DD')`;
const isChosen = '(cardinality(:accountIds::text[]) = 0 or p.account_id = any(:accountIds))';
const days = sql(
  'analytics.days',
  `select ${localDay} as date,
          count(distinct p.post_id)::int as posts, coalesce(sum(p.views), 0)::float8 as views,
          coalesce(sum(p.engagement), 0)::float8 as engagement,
          (count(distinct p.post_id) filter (where p.fetched_at is not null))::int as read_posts
     from unnest(:begins::timestamptz[], :ends::timestamptz[], :offsets::bigint[]) as period (begins, ends, offset_seconds)
     cross join lateral (
       select p.post_id, p.views, p.engagement, p.fetched_at, floor(extract(epoch from p.published_at))::bigint as second
         from publications p
        where p.workspace_id = :workspaceId and p.published_at >= greatest(:from, period.begins)
          and p.published_at < least(:to, period.ends) and ${isChosen}
     ) as p
    group by 1 order by 1`,
);

const bestOfDays = sql(
  'analytics.bestOfDays',
  `with post as (
     select ${localDay} as date, p.post_id, array_agg(p.account_id order by p.published_at, p.account_id) as account_ids,
            sum(p.engagement) filter (where p.fetched_at is not null) as engagement
       from unnest(:begins::timestamptz[], :ends::timestamptz[], :offsets::bigint[]) as period (begins, ends, offset_seconds)
       cross join lateral (
         select p.post_id, p.account_id, p.published_at, p.engagement, p.fetched_at,
                floor(extract(epoch from p.published_at))::bigint as second
           from publications p
          where p.workspace_id = :workspaceId and p.published_at >= greatest(:from, period.begins)
            and p.published_at < least(:to, period.ends) and ${isChosen}
       ) as p
      group by 1, 2
   ), ranked as (
     select *, row_number() over (partition by date order by engagement desc nulls last, post_id) as rank from post
   )
   select r.date, r.post_id, r.account_ids, r.engagement::float8 as engagement,
          left(coalesce(posts.versions -> 0 -> 'content' -> 0 ->> 'body', ''), 200) as text
     from ranked r join posts on posts.workspace_id = :workspaceId and posts.id = r.post_id
    where r.rank <= :mostPerDay order by r.date, r.rank`,
);

/** `began` reads one index entry per account. */
const coverage = sql(
  'analytics.coverage',
  `select ${accountColumns('a')} as account, began.at as began_at, sums.posts, sums.read_posts, sums.read_at,
          posthorn_now() as now
     from accounts a
     cross join lateral (
       select min(p.published_at) as at from publications p where p.workspace_id = :workspaceId and p.account_id = a.id
     ) as began
     cross join lateral (
       select count(*)::int as posts, count(p.fetched_at)::int as read_posts, max(p.fetched_at) as read_at
         from publications p where ${inRange} and p.account_id = a.id
     ) as sums
    where a.workspace_id = :workspaceId and (cardinality(:accountIds::text[]) = 0 or a.id = any(:accountIds))
    order by a.connected_at, a.id`,
).holds<{ account: AccountRow }>();

// 1 January 1970 was a Thursday, three days after the Monday from which the hours of a week are counted.
const sinceMondaySeconds = 3 * 24 * 60 * 60;
const wallOf = ({ offsetSeconds }: OffsetPeriod) => offsetSeconds + sinceMondaySeconds;
/** Midnight of a Monday before all posts, in local time of the period. */
const mondayOf = (period: OffsetPeriod) => new Date(-1000 * wallOf(period)).toISOString();

const valuesOf = (periods: readonly OffsetPeriod[]) => ({
  begins: periods.map((period) => period.from),
  ends: periods.map((period) => period.to),
  offsets: periods.map(({ offsetSeconds }) => offsetSeconds),
});

interface Range {
  readonly from: string;
  readonly to: string;
  readonly accountIds: readonly string[];
}

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;

export const createAnalyticsStore = (db: Database) => ({
  /** `periods` cover the range without a gap. No account ids means every account. */
  summarize: async (workspaceId: string, { from, to, accountIds }: Range, periods: readonly OffsetPeriod[]) => {
    const values = { workspaceId, from, to, begins: periods.map((period) => period.from) };
    const [row] = await (accountIds.length === 0
      ? db.queryReplica(ofAll, { ...values, ends: periods.map((period) => period.to), walls: periods.map(wallOf) })
      : db.queryReplica(ofChosen, { ...values, mondays: periods.map(mondayOf), accountIds }));
    if (row === undefined) throw new Error('the summary statement returned no row');
    return row;
  },

  /** Day by day in local time. */
  days: (workspaceId: string, range: Range, periods: readonly OffsetPeriod[]) =>
    db.queryReplica(days, { workspaceId, ...range, ...valuesOf(periods) }),

  bestOfDays: (workspaceId: string, range: Range, periods: readonly OffsetPeriod[], mostPerDay: number) =>
    db.queryReplica(bestOfDays, { workspaceId, ...range, ...valuesOf(periods), mostPerDay }),

  coverage: (workspaceId: string, range: Range) => db.queryReplica(coverage, { workspaceId, ...range }),
});
