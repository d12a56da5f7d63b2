import type { Issue } from '#contracts/errors';
import type { ForecastEntry } from '#contracts/posts';
import { type Database, sql } from '#server/base/store/database';

/** What is stored about a scheduled post: its forecast, and what it was judged with. */
export interface ForecastRow {
  readonly postId: string;
  /** Of the post, so that another value means that it changed since. */
  readonly updatedAt: string;
  readonly scheduledAt: string;
  /** The accounts that did not have it yet. */
  readonly accountIds: readonly string[];
  readonly contentKey: string;
  readonly content: readonly Issue[];
  readonly entries: readonly ForecastEntry[];
}

/** A scheduled post, without its texts, and its forecast if there is one. */
export interface ScheduledPost {
  readonly id: string;
  readonly accountIds: readonly string[];
  readonly scheduledAt: string;
  readonly updatedAt: string;
  readonly text: string | null;
  readonly media: readonly string[];
  /** Accounts that have it already. */
  readonly reachedIds: readonly string[];
  readonly row: ForecastRow | undefined;
}

/** A post that is not scheduled, or is gone, but was when it was last judged, or was published to a limited network. */
export interface LeftPost {
  readonly postId: string;
  readonly updatedAt: string | null;
  readonly row: Pick<ForecastRow, 'scheduledAt' | 'accountIds' | 'entries'> | undefined;
  /** When it counts in the limits of networks, in ms by account id. */
  readonly usedMs: Readonly<Record<string, number>>;
  /** Accounts that refused it for lack of a permission. */
  readonly refusedIds: readonly string[];
}

/** One minute of one account. */
export interface Minute {
  readonly accountId: string;
  readonly atMs: number;
}

export interface MinutePost {
  readonly id: string;
  readonly atMs: number;
  readonly text: string;
}

/** A time at which an account uses up its network's limit of posts. */
export interface LimitedTime {
  readonly accountId: string;
  readonly atMs: number;
  readonly quota: number;
  readonly windowMs: number;
}

/** As JavaScript reads the instant, which has no microseconds. */
const msOf = (instant: string) => `floor(extract(epoch from ${instant}) * 1000)::float8`;
/**
 * A post that goes out at its time counts from then, as it did while it was scheduled: a send is a second late, and no
 * other post is judged again for that.
 */
const usedAt = (publication: string, post: string) =>
  `case when ${publication}.published_at - ${post}.scheduled_at between interval '-1 minute' and interval '1 minute'
    then ${post}.scheduled_at else ${publication}.published_at end`;

const joined = 'posts p left join forecasts f on f.workspace_id = p.workspace_id and f.post_id = p.id';
const columns = `p.id, p.account_ids as "accountIds", p.scheduled_at as "scheduledAt", p.updated_at as "updatedAt",
  left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text,
  jsonb_path_query_array(p.versions, '$[*].content[*].media[*]') as media,
  array(select r ->> 'accountId' from jsonb_array_elements(p.results) r where (r ->> 'ok')::boolean) as "reachedIds",
  f.updated_at as "judgedUpdatedAt", f.scheduled_at as "judgedAt", f.account_ids as "judgedIds",
  f.content_key as "contentKey", f.content, f.entries`;
/** A post that goes out at its time counts as it did while it was scheduled, so nothing changes until it has ended. */
const isGoingOut = (post: string, soon: string) => `${post}.status = 'Publishing' and ${post}.scheduled_at < ${soon}`;
const isOpen = (post: string, accountId: string) =>
  `not ${post}.results @> jsonb_build_array(jsonb_build_object('accountId', ${accountId}, 'ok', true))`;
const isBeyondLimit = (accountId: string) =>
  `f.entries @> jsonb_build_array(jsonb_build_object('code', 'network_quota', 'accountId', ${accountId}))`;
// `between $1 and $1` forces the index on workspace and time: with `=` the planner may scan the posts of every workspace.
const page = sql(
  'posts.scheduledPage',
  `select ${columns} from ${joined}
    where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and (p.scheduled_at, p.id) > ($2::timestamptz, $3)
    order by p.workspace_id, p.scheduled_at, p.id limit $4`,
);
const changed = sql(
  'posts.scheduledAndChanged',
  `select ${columns} from ${joined}
    where p.workspace_id = $1 and p.id = any($2) and p.status = 'Scheduled' and f.updated_at is distinct from p.updated_at
    order by p.scheduled_at, p.id`,
);
const left = sql(
  'posts.noLongerScheduled',
  `select given.id as "postId", p.updated_at as "updatedAt", f.scheduled_at as "judgedAt", f.account_ids as "judgedIds",
          f.entries, coalesce(used.ms, '{}') as "usedMs",
          array(select r ->> 'accountId' from jsonb_array_elements(p.results) r
                 where p.status = 'Failed' and r -> 'error' ->> 'code' = 'permission') as "refusedIds"
     from unnest($2::text[]) as given (id)
     left join posts p on p.workspace_id = $1 and p.id = given.id
     left join forecasts f on f.workspace_id = $1 and f.post_id = given.id
    cross join lateral (
      select jsonb_object_agg(u.account_id, ${msOf(usedAt('u', 'p'))}) as ms from publications u
       where u.workspace_id = $1 and u.post_id = given.id and u.published_at > $3 and u.network = any($4)) used
    where p.status is distinct from 'Scheduled'
      and (p.status = 'Publishing' and f.post_id is null
        or ${isGoingOut('p', '$5')} and p.scheduled_at = f.scheduled_at) is not true
      and (f.post_id is not null or used.ms is not null
        or p.status = 'Failed' and p.results @> '[{"error": {"code": "permission"}}]')`,
);
/** The first two posts of each minute of an account. */
const firstOfMinutes = sql(
  'posts.firstOfMinutes',
  `select place.account_id as "accountId", place.ms as "minuteMs", o.id, ${msOf('o.scheduled_at')} as "atMs",
          coalesce(left(o.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text
     from (select account_id, ms, to_timestamp(ms / 1000) as at from unnest($2::text[], $3::float8[]) as place (account_id, ms)) place
    cross join lateral (
      select p.id, p.scheduled_at, p.versions from posts p
       where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and p.scheduled_at >= place.at
         and p.scheduled_at < place.at + interval '1 minute' and place.account_id = any(p.account_ids)
         and ${isOpen('p', 'place.account_id')}
       order by p.workspace_id, p.scheduled_at, p.id limit 2) o`,
);
/** Posts of these minutes of accounts, except those of `$4`. Where `$5` is true, only those that clash with another. */
const inMinutes = sql(
  'posts.inMinutes',
  `select ${columns}
     from (select distinct o.id
             from unnest($2::text[], $3::float8[], $5::boolean[]) as place (account_id, ms, clash)
             join posts o on o.workspace_id between $1 and $1 and o.status = 'Scheduled'
              and o.scheduled_at >= to_timestamp(place.ms / 1000)
              and o.scheduled_at < to_timestamp(place.ms / 1000) + interval '1 minute'
              and place.account_id = any(o.account_ids) and o.id <> all($4)
            where not place.clash or exists (
              select from forecasts f where f.workspace_id = o.workspace_id and f.post_id = o.id
                 and f.entries @> '[{"code": "same_minute"}]')
            limit $6) found
     join posts p on p.workspace_id = $1 and p.id = found.id
     left join forecasts f on f.workspace_id = p.workspace_id and f.post_id = p.id
    order by p.scheduled_at, p.id`,
);
/** Times around which an account may reach its limit, or did when its posts were judged. */
const nearLimit = sql(
  'posts.nearLimit',
  `select place.account_id as "accountId", place.ms as "atMs"
     from unnest($2::text[], $3::float8[], $4::int[], $5::float8[]) as place (account_id, ms, quota, window_ms)
    where (select count(*) from (
             select from posts p
              where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and place.account_id = any(p.account_ids)
                and p.scheduled_at > to_timestamp((place.ms - place.window_ms) / 1000)
                and p.scheduled_at < to_timestamp((place.ms + place.window_ms) / 1000) limit place.quota) planned)
        + (select count(*) from posts p
            where p.workspace_id = $1 and p.status = 'Publishing' and place.account_id = any(p.account_ids))
        + (select count(*) from (
             select from publications u where u.workspace_id = $1 and u.account_id = place.account_id and u.published_at > $6
              limit place.quota) published) >= place.quota
       or exists (
         select from forecasts f
          where f.workspace_id = $1 and f.is_blocked in (true, false) and f.entries <> '[]'
            and f.scheduled_at >= to_timestamp(place.ms / 1000)
            and f.scheduled_at < to_timestamp((place.ms + place.window_ms) / 1000) and ${isBeyondLimit('place.account_id')})`,
);
/** The last `$6` times at which each account uses its limit before the post `$4`, `$5`. Blocked posts use nothing. */
const used = sql(
  'posts.usedOfLimit',
  `select account_id as "accountId", ${msOf('at')} as "atMs" from (
     select account_id, at, row_number() over (partition by account_id order by at desc) as place from (
       select u.account_id, ${usedAt('u', 'p')} as at from publications u
         left join posts p on p.workspace_id = u.workspace_id and p.id = u.post_id
        where u.workspace_id = $1 and u.account_id = any($2) and u.published_at > $3 and (${isGoingOut('p', '$8')}) is not true
       union all
       select account_id, p.scheduled_at from posts p, unnest(p.account_ids) as account_id
        where p.workspace_id = $1 and ${isGoingOut('p', '$8')} and account_id = any($2) and ${isOpen('p', 'account_id')}
       union all
       select account_id, p.scheduled_at from ${joined}, unnest(p.account_ids) as account_id
        where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and (p.scheduled_at, p.id) < ($4::timestamptz, $5)
          and p.scheduled_at > $7 and account_id = any($2) and ${isOpen('p', 'account_id')}
          and ${isBeyondLimit('account_id')} is not true
     ) times) placed
    where place <= $6`,
);
const scheduledOf = sql(
  'posts.scheduledOfAccount',
  `select ${columns} from ${joined}
    where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and $2 = any(p.account_ids)
      and (p.scheduled_at, p.id) > ($3::timestamptz, $4)
    order by p.workspace_id, p.scheduled_at, p.id limit $5`,
);

const entriesOf = sql(
  'posts.foretoldEntries',
  `select p.id, p.versions -> 0 -> 'content' -> 0 ->> 'body' as text, f.entries
     from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
    where f.workspace_id = $1 and f.post_id = any($2)`,
);
/** Forecasts of posts that are no longer scheduled. */
const leftovers = sql(
  'posts.leftoverForecasts',
  `select f.post_id as id from forecasts f where f.workspace_id = $1 and not exists (
     select from posts p where p.workspace_id = $1 and p.id = f.post_id and p.status in ('Scheduled', 'Publishing')) limit $2`,
);
/** Workspaces with scheduled posts that were never checked. Goes from one workspace to the next along an index. */
const neverChecked = sql(
  'posts.neverForecast',
  `with recursive planned as (
     (select workspace_id from posts where status = 'Scheduled' order by workspace_id limit 1)
     union all
     select (select p.workspace_id from posts p where p.status = 'Scheduled' and p.workspace_id > planned.workspace_id
              order by p.workspace_id limit 1)
       from planned where planned.workspace_id is not null)
   select workspace_id as id from planned
    where workspace_id is not null and workspace_id not in (select workspace_id from forecast_checks)`,
);
/** Posts that changed since their workspace was checked, or since `$1`, and whose forecast did not follow. */
const missed = sql(
  'posts.missedByForecast',
  `select c.workspace_id as "workspaceId", p.id from forecast_checks c
    cross join lateral (
      select p.id from ${joined}
       where p.workspace_id between c.workspace_id and c.workspace_id
         and p.updated_at > greatest(c.checked_at, $1) - interval '10 minutes'
         and case p.status when 'Scheduled' then f.updated_at is distinct from p.updated_at
                           when 'Publishing' then false else f.post_id is not null end
       order by p.workspace_id, p.updated_at, p.id limit $2) p
    where c.checked_at is not null`,
);

interface FoundPost extends Omit<ScheduledPost, 'row'> {
  readonly judgedUpdatedAt: string | null;
  readonly judgedAt: string | null;
  readonly judgedIds: readonly string[] | null;
  readonly contentKey: string | null;
  readonly content: readonly Issue[] | null;
  readonly entries: readonly ForecastEntry[] | null;
}

const toPost = ({
  judgedUpdatedAt,
  judgedAt,
  judgedIds,
  contentKey,
  content,
  entries,
  ...post
}: FoundPost): ScheduledPost => ({
  ...post,
  row:
    entries === null
      ? undefined
      : {
          postId: post.id,
          updatedAt: judgedUpdatedAt ?? '',
          scheduledAt: judgedAt ?? post.scheduledAt,
          accountIds: judgedIds ?? [],
          contentKey: contentKey ?? '',
          content: content ?? [],
          entries,
        },
});

export type ScheduledPosts = ReturnType<typeof createScheduledPosts>;

/** Scheduled posts, each with its forecast: what was foretold of it, and what it was judged with. */
export const createScheduledPosts = (db: Database) => {
  const postsOf = async (...query: Parameters<typeof db.query>) => (await db.query<FoundPost>(...query)).map(toPost);

  return {
    /** Scheduled posts in order of time, from the first or after this one. */
    page: (workspaceId: string, after: { at: string | null; id: string | null }, limit: number) =>
      postsOf(page, [workspaceId, after.at ?? '-infinity', after.id ?? '', limit]),

    /** Those of the posts that are scheduled and changed since they were judged. */
    changed: (workspaceId: string, ids: readonly string[]) => postsOf(changed, [workspaceId, ids]),

    left: async (
      workspaceId: string,
      ids: readonly string[],
      { since, soon, networks }: { since: Date; soon: Date; networks: readonly string[] },
    ): Promise<LeftPost[]> =>
      (
        await db.query<Omit<LeftPost, 'row'> & Pick<FoundPost, 'judgedAt' | 'judgedIds' | 'entries'>>(left, [
          workspaceId,
          ids,
          since,
          networks,
          soon,
        ])
      ).map(({ judgedAt, judgedIds, entries, ...post }) => ({
        ...post,
        row:
          entries === null || judgedAt === null
            ? undefined
            : { scheduledAt: judgedAt, accountIds: judgedIds ?? [], entries },
      })),

    firstOfMinutes: (workspaceId: string, minutes: readonly Minute[]) =>
      minutes.length === 0
        ? Promise.resolve([])
        : db.query<MinutePost & { accountId: string; minuteMs: number }>(firstOfMinutes, [
            workspaceId,
            ...minuteColumns(minutes),
          ]),

    inMinutes: (
      workspaceId: string,
      minutes: readonly (Minute & { readonly isForClash: boolean })[],
      except: readonly string[],
      limit: number,
    ) =>
      minutes.length === 0
        ? Promise.resolve([])
        : postsOf(inMinutes, [
            workspaceId,
            ...minuteColumns(minutes),
            except,
            minutes.map(({ isForClash }) => isForClash),
            limit,
          ]),

    nearLimit: (workspaceId: string, times: readonly LimitedTime[], since: Date) =>
      times.length === 0
        ? Promise.resolve([])
        : db.query<Minute>(nearLimit, [
            workspaceId,
            ...minuteColumns(times),
            times.map(({ quota }) => quota),
            times.map(({ windowMs }) => windowMs),
            since,
          ]),

    /** By account id, the earliest first. */
    usedMs: async (
      workspaceId: string,
      accountIds: readonly string[],
      before: { at: string; id: string },
      { most, from, since, soon }: { most: number; from: Date; since: Date; soon: Date },
    ): Promise<ReadonlyMap<string, number[]>> => {
      if (accountIds.length === 0) return new Map();
      const values = [workspaceId, accountIds, since, before.at, before.id, most, from, soon];
      const byAccount = new Map<string, number[]>();
      for (const { accountId, atMs } of await db.query<Minute>(used, values)) {
        byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), atMs]);
      }
      for (const times of byAccount.values()) times.sort((a, b) => a - b);
      return byAccount;
    },

    scheduledOf: (workspaceId: string, accountId: string, after: { at: string; id: string }, limit: number) =>
      postsOf(scheduledOf, [workspaceId, accountId, after.at, after.id, limit]),

    entriesOf: (workspaceId: string, postIds: readonly string[]) =>
      db.query<{ id: string; text: string | null; entries: ForecastEntry[] }>(entriesOf, [workspaceId, postIds]),

    neverChecked: async () => (await db.query<{ id: string }>(neverChecked)).map(({ id }) => id),

    /** At most `limit` for each workspace. */
    missed: (since: Date | null, limit: number) =>
      db.query<{ workspaceId: string; id: string }>(missed, [since, limit]),

    /** Ids of posts that have a forecast and are no longer scheduled. */
    leftovers: async (workspaceId: string, limit: number) =>
      (await db.query<{ id: string }>(leftovers, [workspaceId, limit])).map(({ id }) => id),
  };
};

const minuteColumns = (minutes: readonly Minute[]) => [
  minutes.map(({ accountId }) => accountId),
  minutes.map(({ atMs }) => atMs),
];
