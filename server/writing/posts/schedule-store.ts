import { type Database, sql } from '#server/base/store/database';

export const reads = ['accounts', 'forecasts'];

const scheduledFor = sql(
  'posts.scheduledFor',
  `select p.id, coalesce(left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text,
          coalesce(p.scheduled_at, p.updated_at) as scheduled_at
     from posts p where p.workspace_id = $1 and p.status = 'Scheduled' and $2 = any(p.account_ids)
    order by p.scheduled_at limit $3`,
);
/** Pairs of a post of $2 and another one that goes out in the same minute to one of its accounts. */
const sameMinute = sql(
  'posts.sameMinute',
  `select p.id as post_id, o.id, coalesce(left(o.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text
     from posts p join posts o on o.workspace_id = p.workspace_id and o.status = 'Scheduled' and o.id <> p.id
      and o.account_ids && p.account_ids and o.scheduled_at >= date_trunc('minute', p.scheduled_at)
      and o.scheduled_at < date_trunc('minute', p.scheduled_at) + interval '1 minute'
    where p.workspace_id = $1 and p.id = any($2) and p.status = 'Scheduled' order by o.id limit $3`,
);

/** Accounts on which a post failed because a permission is missing, and when it first happened since they were connected. */
const refusedPermissions = sql(
  'posts.refusedPermissions',
  `select a.id, min(p.updated_at) as at from posts p join accounts a on a.workspace_id = p.workspace_id and a.id = any(p.account_ids)
    where p.workspace_id = $1 and p.status = 'Failed' and a.id = any($2) and p.updated_at >= a.connected_at
      and p.results @> jsonb_build_array(jsonb_build_object('accountId', a.id, 'error', jsonb_build_object('code', 'permission')))
    group by a.id`,
);
const countScheduledDays = sql(
  'posts.countScheduledDays',
  `with planned as (
     select to_char(scheduled_at at time zone $2, 'YYYY-MM-DD') as date, count(*)::int as planned from posts
      where workspace_id = $1 and status = 'Scheduled' and scheduled_at < $3 group by 1),
   blocked as (
     select to_char(p.scheduled_at at time zone $2, 'YYYY-MM-DD') as date, count(*)::int as blocked
       from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
      where f.workspace_id = $1 and f.is_blocked and f.entries <> '[]' and p.status = 'Scheduled' and p.scheduled_at < $3
      group by 1)
   select coalesce(date, '') as date, planned, coalesce(blocked, 0) as blocked
    from planned left join blocked using (date) order by date`,
);
const firstForeseen = (isBlocked: boolean) =>
  `(select p.id from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
     where f.workspace_id = $1 and f.is_blocked = ${isBlocked} and f.entries <> '[]' and f.scheduled_at >= $2
       and f.scheduled_at < $3 and p.status = 'Scheduled' order by f.scheduled_at, f.post_id limit $4)`;
/** Blocked posts first. `$2` and `$3` bound the scheduled time. Two reads, because each is one stretch of an index. */
const foreseen = sql('posts.foreseen', `${firstForeseen(true)} union all ${firstForeseen(false)} limit $4`);
/** Those of the accounts that have a scheduled post before `$3`. */
const accountsInUse = sql(
  'posts.accountsInUse',
  `select account_id as id from unnest($2::text[]) as account_id
    where account_id is not null
      and exists (select from posts where workspace_id = $1 and status = 'Scheduled' and scheduled_at < $3
                     and account_id = any(account_ids))`,
);

export type ScheduleStore = ReturnType<typeof createScheduleStore>;

export const createScheduleStore = (db: Database) => ({
  scheduledFor: (workspaceId: string, accountId: string, limit: number) =>
    db.query(scheduledFor, [workspaceId, accountId, limit]),

  sameMinute: (workspaceId: string, ids: readonly string[], limit: number) =>
    db.query(sameMinute, [workspaceId, ids, limit]),

  refusedPermissions: async (workspaceId: string, accountIds: readonly string[]) =>
    new Map((await db.query(refusedPermissions, [workspaceId, accountIds])).map(({ id, at }) => [id, at])),

  countScheduledDays: (workspaceId: string, timeZone: string, to: string) =>
    db.query(countScheduledDays, [workspaceId, timeZone, to]),

  foreseen: async (workspaceId: string, from: string, to: string, limit: number) =>
    (await db.query(foreseen, [workspaceId, from, to, limit])).map(({ id }) => id),

  accountsInUse: async (workspaceId: string, accountIds: readonly string[], before: string) =>
    (await db.query(accountsInUse, [workspaceId, accountIds, before])).map(({ id }) => id),
});
