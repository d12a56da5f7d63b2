import type { ForecastEntry } from '#contracts/posts';
import { type Database, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import {
  type ForecastRow,
  type FoundPost,
  isGoingOut,
  msOf,
  postsWithForecasts,
  type ScheduledColumnTypes,
  scheduledColumns,
  toScheduledPost,
  usedAt,
} from './scheduled-post-row.ts';

export const reads = ['forecast_checks', 'forecasts', 'publications'];

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
// `between $1 and $1` forces the index on workspace and time: with `=` the planner may scan the posts of every workspace.
const page = sql(
  'posts.scheduledPage',
  `select ${scheduledColumns} from ${postsWithForecasts}
    where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and (p.scheduled_at, p.id) > ($2::timestamptz, $3)
    order by p.workspace_id, p.scheduled_at, p.id limit $4`,
).holds<ScheduledColumnTypes>();
const changed = sql(
  'posts.scheduledAndChanged',
  `select ${scheduledColumns} from ${postsWithForecasts}
    where p.workspace_id = $1 and p.id = any($2) and p.status = 'Scheduled' and f.updated_at is distinct from p.updated_at
    order by p.scheduled_at, p.id`,
).holds<ScheduledColumnTypes>();
const left = sql(
  'posts.noLongerScheduled',
  `select given.id as post_id, p.updated_at, f.scheduled_at as judged_at, f.account_ids as judged_ids, f.entries,
          coalesce(used.ms, '{}') as used_ms,
          array(select r ->> 'accountId' from jsonb_array_elements(p.results) r
                 where p.status = 'Failed' and r -> 'error' ->> 'code' = 'permission') as refused_ids
     from unnest($2::text[]) as given (id)
     left join posts p on p.workspace_id = $1 and p.id = given.id
     left join forecasts f on f.workspace_id = $1 and f.post_id = given.id
    cross join lateral (
      select jsonb_object_agg(u.account_id, ${msOf(usedAt('u', 'p'))}) as ms from publications u
       where u.workspace_id = $1 and u.post_id = given.id and u.published_at > $3 and u.network = any($4)) used
    where given.id is not null and p.status is distinct from 'Scheduled'
      and (p.status = 'Publishing' and f.post_id is null
        or ${isGoingOut('p', '$5')} and p.scheduled_at = f.scheduled_at) is not true
      and (f.post_id is not null or used.ms is not null
        or p.status = 'Failed' and p.results @> '[{"error": {"code": "permission"}}]')`,
).holds<Pick<FoundPost, 'entries'> & Pick<LeftPost, 'usedMs'>>();
const scheduledOf = sql(
  'posts.scheduledOfAccount',
  `select ${scheduledColumns} from ${postsWithForecasts}
    where p.workspace_id between $1 and $1 and p.status = 'Scheduled' and $2 = any(p.account_ids)
      and (p.scheduled_at, p.id) > ($3::timestamptz, $4)
    order by p.workspace_id, p.scheduled_at, p.id limit $5`,
).holds<ScheduledColumnTypes>();

const entriesOf = sql(
  'posts.foretoldEntries',
  `select p.id, p.versions -> 0 -> 'content' -> 0 ->> 'body' as text, f.entries
     from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
    where f.workspace_id = $1 and f.post_id = any($2)`,
).holds<{ entries: ForecastEntry[] }>();
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
  `select c.workspace_id, p.id from forecast_checks c
    cross join lateral (
      select p.id from ${postsWithForecasts}
       where p.workspace_id between c.workspace_id and c.workspace_id
         and p.updated_at > greatest(c.checked_at, $1) - interval '10 minutes'
         and case p.status when 'Scheduled' then f.updated_at is distinct from p.updated_at
                           when 'Publishing' then false else f.post_id is not null end
       order by p.workspace_id, p.updated_at, p.id limit $2) p
    where c.checked_at is not null`,
);

export type ScheduledPostStore = ReturnType<typeof createScheduledPostStore>;

export const createScheduledPostStore = (db: Database) => {
  const postsOf = async <Values>(statement: Statement<Values, FoundPost>, ...values: ValuesArgument<Values>) =>
    (await db.query(statement, ...values)).map(toScheduledPost);

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
    ): Promise<LeftPost[]> => {
      const rows = await db.query(left, [workspaceId, ids, since, networks, soon]);
      return rows.map(({ judgedAt, judgedIds, entries, ...post }) => ({
        ...post,
        row:
          entries === null || judgedAt === null
            ? undefined
            : { scheduledAt: judgedAt, accountIds: judgedIds ?? [], entries },
      }));
    },

    scheduledOf: (workspaceId: string, accountId: string, after: { at: string; id: string }, limit: number) =>
      postsOf(scheduledOf, [workspaceId, accountId, after.at, after.id, limit]),

    entriesOf: (workspaceId: string, postIds: readonly string[]) => db.query(entriesOf, [workspaceId, postIds]),

    neverChecked: async () => (await db.query(neverChecked)).map(({ id }) => id),

    /** At most `limit` for each workspace. */
    missed: (since: Date | null, limit: number) => db.query(missed, [since, limit]),

    /** Ids of posts that have a forecast and are no longer scheduled. */
    leftovers: async (workspaceId: string, limit: number) =>
      (await db.query(leftovers, [workspaceId, limit])).map(({ id }) => id),
  };
};
