import { type Database, sql } from '#server/base/store/database';
import {
  type FoundPost,
  isGoingOut,
  msOf,
  postsWithForecasts,
  scheduledColumns,
  toScheduledPost,
  usedAt,
} from './scheduled-post-row.ts';

export const reads = ['forecasts', 'publications'];

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

const isOpen = (post: string, accountId: string) =>
  `not ${post}.results @> jsonb_build_array(jsonb_build_object('accountId', ${accountId}, 'ok', true))`;
const isBeyondLimit = (accountId: string) =>
  `f.entries @> jsonb_build_array(jsonb_build_object('code', 'network_quota', 'accountId', ${accountId}))`;
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
  `select ${scheduledColumns}
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
       select account_id, p.scheduled_at from ${postsWithForecasts}, unnest(p.account_ids) as account_id
        where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and (p.scheduled_at, p.id) < ($4::timestamptz, $5)
          and p.scheduled_at > $7 and account_id = any($2) and ${isOpen('p', 'account_id')}
          and ${isBeyondLimit('account_id')} is not true
     ) times) placed
    where place <= $6`,
);

export type AccountTimeStore = ReturnType<typeof createAccountTimeStore>;

export const createAccountTimeStore = (db: Database) => {
  const postsOf = async (...query: Parameters<typeof db.query>) =>
    (await db.query<FoundPost>(...query)).map(toScheduledPost);

  return {
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
  };
};

const minuteColumns = (minutes: readonly Minute[]) => [
  minutes.map(({ accountId }) => accountId),
  minutes.map(({ atMs }) => atMs),
];
