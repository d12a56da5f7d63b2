import { type MetricName, metricNames } from '#contracts/analytics';
import { type Database, sql } from '#server/store/database';
import type { Stretch } from './time-zone.ts';

export const reads = ['accounts', 'posts', 'publications', 'published_posts'];

export interface Counted {
  /** A metric that nobody reports is null. */
  readonly accounts: readonly ({ id: string; network: string; posts: number } & Record<MetricName, number | null>)[];
  /** How many times posts count again for a network, because they went to several of its accounts. */
  readonly repeats: readonly { network: string; posts: number }[];
  /** By hour of the week, 0 to 167 from Monday on. An hour may come twice. */
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

const inRange = 'p.workspace_id = $1 and p.published_at >= $2 and p.published_at < $3';
const best = 'engagement desc, published_at desc, post_id';

/** A post over those of its targets that are asked for. */
const postColumns = `p.post_id, min(p.published_at) as published_at, sum(p.engagement) as engagement,
  floor(date_part('epoch', min(p.published_at)))::bigint as published_second`;

const hoursOf = (posts: string, which: string) =>
  `select (p.published_second + stretch.wall) / 3600 % 168 as hour, count(*) as posts, sum(p.engagement) as engagement
     from unnest($4::timestamptz[], $5::timestamptz[], $6::bigint[]) as stretch (begins, ends, wall)
     join ${posts} p on p.published_at >= stretch.begins and p.published_at < stretch.ends
    where ${which} group by 1`;

/** One account after the other, from the index alone. */
const accountsOf = (accounts: string) =>
  `select a.id, a.network, sums.* from ${accounts} a cross join lateral (
     select count(*) as posts, ${metricNames.map((name) => `sum(p.${name}) as ${name}`).join(', ')}
       from publications p where ${inRange} and p.account_id = a.id
   ) as sums where sums.posts > 0`;

/** Texts and targets are read for the ten best alone: by the key of the post, which PostgreSQL is left no choice about. */
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
       join posts on posts.workspace_id = $1 and posts.id = top.post_id cross join lateral (
         select array_agg(account_id order by published_at, account_id) as account_ids, coalesce(sum(views), 0) as views
           from (select p.account_id, p.published_at, p.views from publications p
                  where p.workspace_id = $1 and p.post_id = top.post_id offset 0) as target
          where published_at >= $2 and published_at < $3 and ${targets}
       ) as of_post) as "topPosts"`;

/**
 * Posts are ready in published_posts. Put together here are those with targets on both sides of an end of the range,
 * which were published near it or late.
 */
const whole = 'p.workspace_id = $1 and p.last_published_at < $3';
const straddling = 'p.post_id in (select post_id from straddling)';
const ofAll = sql(
  'analytics.ofAll',
  `with straddling as materialized (
     select post_id from (values ($2::timestamptz), ($3::timestamptz)) as range (edge) cross join lateral (
       select post_id from published_posts where workspace_id = $1 and last_published_at >= edge
          and published_at < edge and published_at >= edge - interval '1 hour'
       union all
       select post_id from published_posts where workspace_id = $1 and last_published_at >= edge
          and published_at < edge - interval '1 hour' and last_published_at - published_at > interval '1 hour'
     ) as near_or_late
   ), part as materialized (
     select ${postColumns} from publications p where ${inRange} and ${straddling} group by p.post_id
   ), hours as (
     ${hoursOf('published_posts', whole)} union all ${hoursOf('part', 'true')}
   ), account as (
     ${accountsOf('(select id, network from accounts where workspace_id = $1)')}
   ), repeats as (
     select network, count(*) as posts from published_posts p cross join unnest(p.repeats) as network
      where ${inRange} and ${whole} and p.repeats is not null group by network
     union all
     select p.network, count(*) - count(distinct p.post_id) as posts from publications p
      where ${inRange} and ${straddling} group by p.network
   ), top as (
     (select post_id, published_at, engagement from published_posts p where ${inRange} and ${whole} order by ${best} limit 10)
     union all select post_id, published_at, engagement from part
   ) ${answerOf('true')}`,
);

/** As a select: the number of accounts is no reason to plan the statement anew, which would take longer than running it. */
const anyChosen = 'any ((select $6::text[])::text[])';

/**
 * Posts as they are on the chosen accounts. Repeats are looked for where several accounts of a network are chosen and any
 * post has some. Floats are exact here, and far cheaper to add for each of many posts, as bins are than parts of a time.
 */
const ofChosen = sql(
  'analytics.ofChosen',
  `with chosen as materialized (
     select id, network, count(*) over (partition by network) > 1 and exists (
              select from published_posts p where p.workspace_id = $1 and p.published_at < $3 and p.repeats is not null) as repeats
       from accounts where workspace_id = $1 and id = ${anyChosen}
   ), part as materialized (
     select p.post_id, min(p.published_at) as published_at, sum(p.engagement::float8) as engagement
       from publications p where ${inRange} and p.account_id = ${anyChosen} group by p.post_id
   ), hours as (
     select date_part('epoch', since_monday) / 3600 as hour, posts, engagement from (
       select date_bin('1 hour', published_at, monday) - date_bin('7 days', published_at, monday) as since_monday,
              count(*) as posts, sum(engagement) as engagement
         from (select published_at, engagement, ($5::timestamptz[])[width_bucket(published_at, $4::timestamptz[])] as monday
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
);

const days = sql(
  'analytics.days',
  `select to_char(to_timestamp((p.second + stretch.offset_seconds) / 86400 * 86400) at time zone 'UTC', 'YYYY-MM-DD') as date,
          count(distinct p.post_id)::int as posts, coalesce(sum(p.views), 0)::float8 as views,
          coalesce(sum(p.engagement), 0)::float8 as engagement
     from unnest($4::timestamptz[], $5::timestamptz[], $6::bigint[]) as stretch (begins, ends, offset_seconds)
     cross join lateral (
       select p.post_id, p.views, p.engagement, floor(extract(epoch from p.published_at))::bigint as second
         from publications p
        where p.workspace_id = $1 and p.published_at >= greatest($2, stretch.begins)
          and p.published_at < least($3, stretch.ends) and (cardinality($7::text[]) = 0 or p.account_id = any($7))
     ) as p
    group by 1 order by 1`,
);

// The first of January 1970 was a Thursday: hours of the week are counted from Monday.
const sinceMondaySeconds = 3 * 24 * 60 * 60;
const wallOf = ({ offsetSeconds }: Stretch) => offsetSeconds + sinceMondaySeconds;
/** Midnight of a Monday before all posts, on the clocks of the stretch. */
const mondayOf = (stretch: Stretch) => new Date(-1000 * wallOf(stretch)).toISOString();

export type AnalyticsStore = ReturnType<typeof createAnalyticsStore>;

export const createAnalyticsStore = (db: Database) => ({
  /** What was published in the stretches, which follow each other without a gap. No account means every account. */
  counted: async (
    workspaceId: string,
    { from, to, accountIds }: { from: string; to: string; accountIds: readonly string[] },
    stretches: readonly Stretch[],
  ): Promise<Counted> => {
    const range = [workspaceId, from, to];
    const begins = stretches.map((stretch) => stretch.from);
    const ends = stretches.map((stretch) => stretch.to);
    const [counted] = await (accountIds.length === 0
      ? db.queryReplica<Counted>(ofAll, [...range, begins, ends, stretches.map(wallOf)])
      : db.queryReplica<Counted>(ofChosen, [...range, begins, stretches.map(mondayOf), accountIds]));
    if (counted === undefined) throw new Error('a statement of one row gave none');
    return counted;
  },

  /** The same, day by day in the zone of the stretches. */
  days: (
    workspaceId: string,
    { from, to, accountIds }: { from: string; to: string; accountIds: readonly string[] },
    stretches: readonly Stretch[],
  ) =>
    db.queryReplica<{ date: string; posts: number; views: number; engagement: number }>(days, [
      workspaceId,
      from,
      to,
      stretches.map((stretch) => stretch.from),
      stretches.map((stretch) => stretch.to),
      stretches.map(({ offsetSeconds }) => offsetSeconds),
      accountIds,
    ]),
});
