import { type Database, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import {
  type FoundPost,
  isGoingOut,
  msOf,
  postsWithForecasts,
  type ScheduledColumnTypes,
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
  `select place.account_id, place.ms as minute_ms, o.id, ${msOf('o.scheduled_at')} as at_ms,
          coalesce(left(o.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text
     from (select account_id, ms, to_timestamp(ms / 1000) as at
             from unnest(:accountIds::text[], :times::float8[]) as place (account_id, ms)
            where account_id is not null and ms is not null) place
    cross join lateral (
      select p.id, p.scheduled_at, p.versions from posts p
       where p.workspace_id between :workspaceId and :workspaceId and p.status = 'Scheduled' and p.scheduled_at >= place.at
         and p.scheduled_at < place.at + interval '1 minute' and place.account_id = any(p.account_ids)
         and ${isOpen('p', 'place.account_id')}
       order by p.workspace_id, p.scheduled_at, p.id limit 2) o`,
);
/** Posts of these minutes of accounts, except some. Where `clash` is true, only those that clash with another. */
const inMinutes = sql(
  'posts.inMinutes',
  `select ${scheduledColumns}
     from (select distinct o.id
             from unnest(:accountIds::text[], :times::float8[], :clashes::boolean[]) as place (account_id, ms, clash)
             join posts o on o.workspace_id between :workspaceId and :workspaceId and o.status = 'Scheduled'
              and o.scheduled_at >= to_timestamp(place.ms / 1000)
              and o.scheduled_at < to_timestamp(place.ms / 1000) + interval '1 minute'
              and place.account_id = any(o.account_ids) and o.id <> all(:except)
            where not place.clash or exists (
              select from forecasts f where f.workspace_id = o.workspace_id and f.post_id = o.id
                 and f.entries @> '[{"code": "same_minute"}]')
            limit :limit) found
     join posts p on p.workspace_id = :workspaceId and p.id = found.id
     left join forecasts f on f.workspace_id = p.workspace_id and f.post_id = p.id
    order by p.scheduled_at, p.id`,
).holds<ScheduledColumnTypes>();
/** Times around which an account may reach its limit, or did when its posts were judged. */
const nearLimit = sql(
  'posts.nearLimit',
  `select place.account_id, place.ms as at_ms
     from unnest(:accountIds::text[], :times::float8[], :quotas::int[], :windowsMs::float8[])
       as place (account_id, ms, quota, window_ms)
    where place.account_id is not null and place.ms is not null
      and ((select count(*) from (
             select from posts p
              where p.workspace_id between :workspaceId and :workspaceId and p.status = 'Scheduled' and place.account_id = any(p.account_ids)
                and p.scheduled_at > to_timestamp((place.ms - place.window_ms) / 1000)
                and p.scheduled_at < to_timestamp((place.ms + place.window_ms) / 1000) limit place.quota) planned)
        + (select count(*) from posts p
            where p.workspace_id = :workspaceId and p.status = 'Publishing' and place.account_id = any(p.account_ids))
        + (select count(*) from (
             select from publications u where u.workspace_id = :workspaceId and u.account_id = place.account_id
                and u.published_at > :since
              limit place.quota) published) >= place.quota
       or exists (
         select from forecasts f
          where f.workspace_id = :workspaceId and f.is_blocked in (true, false) and f.entries <> '[]'
            and f.scheduled_at >= to_timestamp(place.ms / 1000)
            and f.scheduled_at < to_timestamp((place.ms + place.window_ms) / 1000) and ${isBeyondLimit('place.account_id')}))`,
);
/** The last times at which each account uses its limit before a post. Blocked posts use nothing. */
const used = sql(
  'posts.usedOfLimit',
  `select account_id, ${msOf('at')} as at_ms from (
     select account_id, at, row_number() over (partition by account_id order by at desc) as place from (
       select u.account_id, ${usedAt('u', 'p')} as at from publications u
         left join posts p on p.workspace_id = u.workspace_id and p.id = u.post_id
        where u.workspace_id = :workspaceId and u.account_id = any(:accountIds) and u.published_at > :since
          and (${isGoingOut('p', ':soon')}) is not true
       union all
       select account_id, p.scheduled_at from posts p, unnest(p.account_ids) as account_id
        where p.workspace_id = :workspaceId and ${isGoingOut('p', ':soon')} and account_id = any(:accountIds)
          and ${isOpen('p', 'account_id')}
       union all
       select account_id, p.scheduled_at from ${postsWithForecasts}, unnest(p.account_ids) as account_id
        where p.workspace_id between :workspaceId and :workspaceId and p.status = 'Scheduled'
          and (p.scheduled_at, p.id) < (:at::timestamptz, :id) and p.scheduled_at > :from
          and account_id = any(:accountIds) and ${isOpen('p', 'account_id')} and ${isBeyondLimit('account_id')} is not true
     ) times) placed
    where place <= :most`,
);

export type AccountTimeStore = ReturnType<typeof createAccountTimeStore>;

export const createAccountTimeStore = (db: Database) => {
  const postsOf = async <Values>(statement: Statement<Values, FoundPost>, ...values: ValuesArgument<Values>) =>
    (await db.query(statement, ...values)).map(toScheduledPost);

  return {
    firstOfMinutes: (workspaceId: string, minutes: readonly Minute[]) =>
      minutes.length === 0 ? Promise.resolve([]) : db.query(firstOfMinutes, { workspaceId, ...minuteColumns(minutes) }),

    inMinutes: (
      workspaceId: string,
      minutes: readonly (Minute & { readonly isForClash: boolean })[],
      except: readonly string[],
      limit: number,
    ) =>
      minutes.length === 0
        ? Promise.resolve([])
        : postsOf(inMinutes, {
            workspaceId,
            ...minuteColumns(minutes),
            clashes: minutes.map(({ isForClash }) => isForClash),
            except,
            limit,
          }),

    nearLimit: (workspaceId: string, times: readonly LimitedTime[], since: Date) =>
      times.length === 0
        ? Promise.resolve([])
        : db.query(nearLimit, {
            workspaceId,
            ...minuteColumns(times),
            quotas: times.map(({ quota }) => quota),
            windowsMs: times.map(({ windowMs }) => windowMs),
            since,
          }),

    /** By account id, the earliest first. */
    usedMs: async (
      workspaceId: string,
      accountIds: readonly string[],
      before: { at: string; id: string },
      limits: { most: number; from: Date; since: Date; soon: Date },
    ): Promise<ReadonlyMap<string, number[]>> => {
      if (accountIds.length === 0) return new Map();
      const byAccount = new Map<string, number[]>();
      for (const { accountId, atMs } of await db.query(used, { ...before, ...limits, workspaceId, accountIds })) {
        byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), atMs]);
      }
      for (const times of byAccount.values()) times.sort((a, b) => a - b);
      return byAccount;
    },
  };
};

const minuteColumns = (minutes: readonly Minute[]) => ({
  accountIds: minutes.map(({ accountId }) => accountId),
  times: minutes.map(({ atMs }) => atMs),
});
