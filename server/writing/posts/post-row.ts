import type { Client } from '#contracts/history';
import { type Post, type PostStatus, Result, resultErrorCodes, type Version } from '#contracts/posts';

/** A row of posts. `toPost` converts it here and `postJsonOf` in the database; both give the same post. */
export interface PostRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly accountIds: string[];
  readonly versions: Version[];
  readonly scheduledAt: string | null;
  readonly results: Result[];
  readonly updatedAt: string;
}

/** What PostgreSQL does not know of `postColumns`. */
export type PostColumnTypes = Pick<PostRow, 'status' | 'versions' | 'results'>;

/** A deleted row. */
export interface RemovedPost extends PostRow {
  readonly createdBy: string;
  readonly createdClient: Client | null;
}

export const postColumns = 'id, status, account_ids, versions, scheduled_at, results, updated_at';

/** Part of every update that a caller can see, so that updatedAt always grows. */
export const touch = `updated_at = greatest(posthorn_now(), posts.updated_at + interval '1 microsecond')`;

/** Another release may have stored other codes. */
const knownErrorCodes: ReadonlySet<string> = new Set(resultErrorCodes);

/** The row keeps results of removed accounts: when such an account is added again, it already has the post. */
export const shownResults = ({ results, accountIds }: Pick<PostRow, 'results' | 'accountIds'>): Result[] =>
  results
    .filter(({ accountId }) => accountIds.includes(accountId))
    .map(({ error, ...result }) => ({
      ...result,
      uncertain: result.uncertain ?? false,
      ...(error && {
        error: { ...error, code: knownErrorCodes.has(error.code) ? error.code : ('unavailable' as const) },
      }),
    }));

export const toPost = (row: PostRow): Post => ({
  id: row.id,
  status: row.status,
  accountIds: row.accountIds,
  versions: row.versions,
  ...(row.scheduledAt !== null && { scheduledAt: row.scheduledAt }),
  results: shownResults(row),
  updatedAt: row.updatedAt,
});

/** The format of instants in every answer. */
const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const resultFields = Object.keys(Result.shape).filter((name) => !['uncertain', 'error'].includes(name));
const resultJson = `jsonb_strip_nulls(jsonb_build_object(
   ${resultFields.map((name) => `'${name}', r -> '${name}'`).join(', ')},
   'uncertain', coalesce(nullif(r -> 'uncertain', 'null'), 'false'),
   'error', case when jsonb_typeof(r -> 'error') = 'object' then jsonb_build_object('message', r -> 'error' -> 'message',
     'networkCode', r -> 'error' -> 'networkCode',
     'code', case when r -> 'error' ->> 'code' in (${resultErrorCodes.map((code) => `'${code}'`).join(', ')})
                  then r -> 'error' ->> 'code' else 'unavailable' end) end))`;
/**
 * SQL for the JSON of a post, the same as `toPost` gives: a post that is only passed on is never parsed here. `more` is SQL
 * for further fields, each after a comma, or null.
 */
export const postJsonOf = (
  table: string,
  more = 'null',
) => `concat('{"id":', to_json(${table}.id), ',"status":"', ${table}.status, '","accountIds":', to_json(${table}.account_ids),
   ',"versions":', ${table}.versions, ',"scheduledAt":"' || ${instant(`${table}.scheduled_at`)} || '"',
   ',"results":', case when ${table}.results = '[]' then '[]' else (
     select coalesce(jsonb_agg(${resultJson} order by place), '[]')
       from jsonb_array_elements(${table}.results) with ordinality as one(r, place)
      where r ->> 'accountId' = any(${table}.account_ids)) end, ',"updatedAt":"', ${instant(`${table}.updated_at`)}, '"', ${more}, '}')`;
