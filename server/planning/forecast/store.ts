import { type Database, type RowOf, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import type { ForecastRow } from '#server/writing/posts/scheduled-posts';

export const reads = ['workspaces'];

/** How long a claim on a page of a check lasts. If the process dies, another one takes over after this time. */
const leaseMinutes = 5;

const claimDue = sql(
  'forecast.claimDue',
  `with due as (select workspace_id from forecast_checks where due_at <= (select posthorn_now())
                 order by due_at limit $1 for update skip locked)
   update forecast_checks c set due_at = posthorn_now() + ${leaseMinutes} * interval '1 minute',
          started_at = coalesce(c.started_at, posthorn_now()),
          started_request = case when c.started_at is null then c.request else c.started_request end
     from due where c.workspace_id = due.workspace_id
   returning c.workspace_id`,
);
const tryAgain = sql(
  'forecast.tryAgain',
  `update forecast_checks set due_at = least(due_at, posthorn_now() + interval '1 minute') where workspace_id = $1`,
);
const msToNext = sql(
  'forecast.msToNext',
  `select ceil(extract(epoch from min(due_at) - posthorn_now()) * 1000)::float8 as ms from forecast_checks`,
);
/** A check under way goes on to its end, and the next one begins then. */
const request = sql(
  'forecast.request',
  `insert into forecast_checks as c (workspace_id, request, due_at)
   select id, $2, posthorn_now() from workspaces where id = $1
   on conflict (workspace_id) do update
      set request = $2, due_at = case when c.started_at is null then least(c.due_at, posthorn_now()) else c.due_at end
    where c.request is distinct from $2`,
);
/**
 * A check as far as it got: `last_at` and `last_id` are the last post of its last page. A new `revision` means that
 * forecasts were saved meanwhile. `basis` is what all forecasts depend on, when the check began; null before the first.
 */
const state = sql(
  'forecast.state',
  `select revision::float8 as revision, started_at, started_at is not null or due_at <= posthorn_now() as is_under_way,
          last_at, last_id, told, basis
     from forecast_checks where workspace_id = $1`,
);
export type CheckState = RowOf<typeof state>;
/** Finds no row when somebody else saved forecasts since `revision`: what was read by then may be outdated. */
const nextRevision = sql(
  'forecast.nextRevision',
  'update forecast_checks set revision = revision + 1 where workspace_id = $1 and revision = $2',
);
const setTold = sql('forecast.setTold', 'update forecast_checks set told = $2 where workspace_id = $1');
const savePage = sql(
  'forecast.savePage',
  `update forecast_checks set revision = revision + 1, last_at = $3, last_id = $4, basis = $5, due_at = posthorn_now()
    where workspace_id = $1 and revision = $2 and started_at is not null`,
);
/** Stores when the check began, because it may have missed posts that changed after that. */
const endCheck = sql(
  'forecast.endCheck',
  `update forecast_checks set checked_at = started_at, started_at = null, last_at = null, last_id = null,
          told = $2, due_at = case when $3 or request is distinct from started_request then posthorn_now()
                                   else started_at + interval '1 day' end
    where workspace_id = $1`,
);
/** For a workspace where nothing is scheduled, so that it is not checked every day. */
const forget = sql('forecast.forget', 'delete from forecast_checks where workspace_id = $1');
const checkedAt = sql(
  'forecast.checkedAt',
  'select checked_at from forecast_checks where workspace_id = $1 and checked_at is not null',
);

const save = sql(
  'forecast.save',
  `insert into forecasts (workspace_id, post_id, updated_at, scheduled_at, account_ids, content_key, content, entries)
   select $1, "postId", "updatedAt", "scheduledAt", "accountIds", "contentKey", content, entries
     from jsonb_to_recordset($2) as row ("postId" text, "updatedAt" timestamptz, "scheduledAt" timestamptz, "accountIds" text[],
                                         "contentKey" text, content jsonb, entries jsonb)
   on conflict (workspace_id, post_id) do update
      set updated_at = excluded.updated_at, scheduled_at = excluded.scheduled_at, account_ids = excluded.account_ids,
          content_key = excluded.content_key, content = excluded.content, entries = excluded.entries`,
);
const remove = sql('forecast.remove', 'delete from forecasts where workspace_id = $1 and post_id = any($2)');
/** How many posts have this cause on this account, and one of them. */
const countTopics = sql(
  'forecast.countTopics',
  `select coalesce(e ->> 'level', '') as level, coalesce(e ->> 'code', '') as code,
          coalesce(e ->> 'accountId', '') as account_id, count(*)::int as posts, min(f.post_id) as post_id
     from forecasts f, jsonb_array_elements(f.entries) e
    where f.workspace_id = $1 and f.entries <> '[]' and e ->> 'code' = any($2) group by 1, 2, 3`,
);
export type CountedTopic = RowOf<typeof countTopics>;
const hasEntry = sql(
  'forecast.hasEntry',
  `select 1 from forecasts where workspace_id = $1 and entries <> '[]' and entries @> $2 limit 1`,
);

export type ForecastStore = ReturnType<typeof createForecastStore>;

export const createForecastStore = (db: Database) => {
  const isDone = async <Values>(statement: Statement<Values>, ...values: ValuesArgument<Values>) =>
    (await db.run(statement, ...values)) > 0;

  return {
    transaction: db.transaction,

    /** Claims a page of checks that are due, or that were begun and not ended. */
    claimDue: async (limit: number) => (await db.query(claimDue, [limit])).map(({ workspaceId }) => workspaceId),

    /** The check of this workspace goes on in a minute, by any process. */
    tryAgain: (workspaceId: string) => db.run(tryAgain, [workspaceId]),

    msToNext: async () => (await db.query(msToNext))[0]?.ms ?? undefined,

    /** Requests a check of the whole workspace. Once per key: every process asks for the same change. */
    request: (workspaceId: string, key: string) => db.run(request, [workspaceId, key]),

    state: async (workspaceId: string) => (await db.query(state, [workspaceId]))[0],

    setTold: (workspaceId: string, told: readonly string[]) => db.run(setTold, [workspaceId, told]),

    /** False when forecasts were saved since `revision`. Else nobody saves any until the transaction ends. */
    nextRevision: (workspaceId: string, revision: number) => isDone(nextRevision, [workspaceId, revision]),

    /** The same, and how far a check got. */
    savePage: (
      workspaceId: string,
      revision: number,
      { lastAt, lastId, basis }: Pick<CheckState, 'lastAt' | 'lastId' | 'basis'>,
    ) => isDone(savePage, [workspaceId, revision, lastAt, lastId, basis]),

    /** `isOutdated`: the next check begins at once. */
    endCheck: (
      workspaceId: string,
      { told, isOutdated }: { readonly told: readonly string[]; readonly isOutdated: boolean },
    ) => db.run(endCheck, [workspaceId, told, isOutdated]),

    forget: (workspaceId: string) => db.run(forget, [workspaceId]),

    checkedAt: async (workspaceId: string) => (await db.query(checkedAt, [workspaceId]))[0]?.checkedAt,

    save: async (workspaceId: string, rows: readonly ForecastRow[]) => {
      if (rows.length > 0) await db.run(save, [workspaceId, JSON.stringify(rows)]);
    },

    remove: async (workspaceId: string, postIds: readonly string[]) => {
      if (postIds.length > 0) await db.run(remove, [workspaceId, postIds]);
    },

    countTopics: (workspaceId: string, codes: readonly string[]) => db.query(countTopics, [workspaceId, codes]),

    hasEntry: async (workspaceId: string, entry: Pick<CountedTopic, 'level' | 'code' | 'accountId'>) =>
      (await db.query(hasEntry, [workspaceId, JSON.stringify([entry])])).length > 0,
  };
};
