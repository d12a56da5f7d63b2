import type { Issue } from '#contracts/errors';
import type { ForecastEntry } from '#contracts/posts';
import { type Database, sql } from '#server/store/database';

export const reads = ['publications', 'workspaces'];

/** How long a claim on a check lasts. If the process dies, another one takes over after this time. */
const leaseMinutes = 5;

export interface ForecastRow {
  readonly postId: string;
  readonly scheduledAt: string;
  readonly contentKey: string;
  readonly content: readonly Issue[];
  readonly entries: readonly ForecastEntry[];
}

const claimDue = sql(
  'forecast.claimDue',
  `with due as (select workspace_id from forecast_checks where checked_at <= (select posthorn_now()) - interval '1 day'
                 order by checked_at limit $1 for update skip locked)
   update forecast_checks set checked_at = posthorn_now() - interval '1 day' + ${leaseMinutes} * interval '1 minute'
     from due where forecast_checks.workspace_id = due.workspace_id
   returning forecast_checks.workspace_id as "workspaceId"`,
);
/** A check is due one day after `checked_at`, so this one is due in a minute. */
const tryAgain = sql(
  'forecast.tryAgain',
  `insert into forecast_checks as c (workspace_id, checked_at)
   select id, posthorn_now() - interval '1 day' + interval '1 minute' from workspaces where id = $1
   on conflict (workspace_id) do update set checked_at = least(c.checked_at, excluded.checked_at)`,
);
const msToNext = sql(
  'forecast.msToNext',
  `select ceil(extract(epoch from min(checked_at) + interval '1 day' - posthorn_now()) * 1000)::float8 as ms
     from forecast_checks`,
);
const beginCheck = sql(
  'forecast.beginCheck',
  `select posthorn_now() as "startedAt", (select checked_at from forecast_checks where workspace_id = $1) as "checkedAt"`,
);
/** Inserts the row if it is missing, so that two first checks are never saved at once. */
const lockCheck = sql(
  'forecast.lockCheck',
  `insert into forecast_checks as c (workspace_id, checked_at)
   select id, $2::timestamptz from workspaces where id = $1
   on conflict (workspace_id) do update set checked_at = c.checked_at returning told, checked_at as "checkedAt"`,
);
/** Stores when the check began, because it may have missed posts that changed after that. */
const endCheck = sql(
  'forecast.endCheck',
  'update forecast_checks set checked_at = $2, told = $3 where workspace_id = $1',
);
const forget = sql('forecast.forget', 'delete from forecast_checks where workspace_id = $1');
const checkedAt = sql(
  'forecast.checkedAt',
  'select checked_at as "checkedAt" from forecast_checks where workspace_id = $1',
);
const allChecked = sql(
  'forecast.allChecked',
  'select workspace_id as "workspaceId", checked_at as "checkedAt" from forecast_checks where workspace_id = any($1)',
);
const list = sql(
  'forecast.list',
  `select post_id as "postId", scheduled_at as "scheduledAt", content_key as "contentKey", content, entries from forecasts where workspace_id = $1`,
);
const save = sql(
  'forecast.save',
  `insert into forecasts (workspace_id, post_id, scheduled_at, content_key, content, entries)
   select $1, "postId", "scheduledAt", "contentKey", content, entries
     from jsonb_to_recordset($2) as row ("postId" text, "scheduledAt" timestamptz, "contentKey" text, content jsonb,
                                         entries jsonb)
   on conflict (workspace_id, post_id) do update
      set scheduled_at = excluded.scheduled_at, content_key = excluded.content_key, content = excluded.content, entries = excluded.entries`,
);
const remove = sql('forecast.remove', 'delete from forecasts where workspace_id = $1 and post_id = any($2)');
const published = sql(
  'forecast.published',
  `select account_id as "accountId", extract(epoch from published_at)::float8 * 1000 as "atMs" from publications
    where workspace_id = $1 and account_id = any($2) and published_at > $3`,
);

export type ForecastStore = ReturnType<typeof createForecastStore>;

export const createForecastStore = (db: Database) => ({
  transaction: db.transaction,

  /** Claims workspaces whose last check was a day ago. */
  claimDue: async (limit: number) =>
    (await db.query<{ workspaceId: string }>(claimDue, [limit])).map(({ workspaceId }) => workspaceId),

  /** Schedules a check in a minute, by any process. */
  tryAgain: (workspaceId: string) => db.run(tryAgain, [workspaceId]),

  msToNext: async () => (await db.query<{ ms: number | null }>(msToNext))[0]?.ms ?? undefined,

  /** The time of the database, and when the last check began; `null` for the first one. */
  beginCheck: async (workspaceId: string) => {
    const [row] = await db.query<{ startedAt: string; checkedAt: string | null }>(beginCheck, [workspaceId]);
    if (row === undefined) throw new Error('the begin of a check returned no row');
    return row;
  },

  /**
   * Returns the causes that people were already notified of, and when the last check began: `startedAt` if there was
   * none. Undefined when the workspace is gone. Nobody else can save a check until the transaction ends.
   */
  lockCheck: async (workspaceId: string, startedAt: string) =>
    (await db.query<{ told: string[]; checkedAt: string }>(lockCheck, [workspaceId, startedAt]))[0],

  endCheck: (workspaceId: string, startedAt: string, told: readonly string[]) =>
    db.run(endCheck, [workspaceId, startedAt, told]),

  /** For a workspace where nothing is scheduled, so that it is not checked every day. */
  forget: (workspaceId: string) => db.run(forget, [workspaceId]),

  checkedAt: async (workspaceId: string) =>
    (await db.query<{ checkedAt: string }>(checkedAt, [workspaceId]))[0]?.checkedAt,

  checkedAll: async (workspaceIds: readonly string[]) =>
    new Map(
      (await db.query<{ workspaceId: string; checkedAt: string }>(allChecked, [workspaceIds])).map((row) => [
        row.workspaceId,
        row.checkedAt,
      ]),
    ),

  list: async (workspaceId: string) =>
    new Map((await db.query<ForecastRow>(list, [workspaceId])).map((row) => [row.postId, row])),

  save: async (workspaceId: string, rows: readonly ForecastRow[]) => {
    if (rows.length > 0) await db.run(save, [workspaceId, JSON.stringify(rows)]);
  },

  remove: async (workspaceId: string, postIds: readonly string[]) => {
    if (postIds.length > 0) await db.run(remove, [workspaceId, postIds]);
  },

  /** When posts were published to these accounts, in ms. */
  published: async (workspaceId: string, accountIds: readonly string[], since: Date) => {
    if (accountIds.length === 0) return new Map<string, number[]>();
    const rows = await db.query<{ accountId: string; atMs: number }>(published, [workspaceId, accountIds, since]);
    const byAccount = new Map<string, number[]>();
    for (const { accountId, atMs } of rows) byAccount.set(accountId, [...(byAccount.get(accountId) ?? []), atMs]);
    return byAccount;
  },
});
