import type { PostStatus } from '#contracts/posts';
import type { ImportFormat, ImportProblem, ImportRowState, ImportTotals } from '#contracts/transfer';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import type { CheckedRow, ImportedDraft } from './checked-row.ts';

export const reads = ['posts'];

export interface NumberedRow extends Omit<CheckedRow, 'state'> {
  readonly number: number;
  readonly state: CheckedRow['state'] | 'Duplicate';
}

const begin = sql(
  'imports.begin',
  `insert into imports (id, workspace_id, created_by, file_name, format, time_zone, ignored)
   values (:id, :workspaceId, :userId, :fileName, :format, :timeZone, :ignored)`,
);
const finish = sql('imports.finish', 'update imports set read_at = posthorn_now() where id = $1 and workspace_id = $2');
const addRows = sql(
  'imports.addRows',
  `insert into import_rows (workspace_id, import_id, number, line, fingerprint, state, problems, draft, text, items, media)
   select :workspaceId, :importId, * from unnest(:numbers::int[], :lines::int[], :fingerprints::bytea[], :states::text[],
     :problems::jsonb[], :drafts::jsonb[], :texts::text[], :items::int[], :media::int[])`,
);
/** When rows with these fingerprints first became posts of this workspace. */
const importedRows = sql(
  'imports.importedRows',
  `select distinct on (r.fingerprint) encode(r.fingerprint, 'hex') as fingerprint, i.created_at
     from import_rows r join imports i on i.workspace_id = r.workspace_id and i.id = r.import_id
     join posts p on p.workspace_id = r.workspace_id and p.id = r.post_id
    where r.workspace_id = $1 and r.fingerprint = any($2::bytea[]) and r.post_id is not null
    order by r.fingerprint, i.created_at`,
);
const existingPosts = sql('imports.existingPosts', 'select id from posts where workspace_id = $1 and id = any($2)');

/** Joined, because there is no foreign key: the post may have been deleted. */
const postOfRow = 'posts p on p.workspace_id = r.workspace_id and p.id = r.post_id';
const shownState = `case when p.id is null then r.state when p.status = 'Draft' then 'Saved' else 'Scheduled' end`;
const isSchedulable = `p.status = 'Draft' and p.scheduled_at > posthorn_now() and cardinality(p.account_ids) > 0`;
const record = `select i.id, i.file_name, i.format, i.time_zone, i.ignored, i.created_at, t.totals
  from imports i cross join lateral (
    select jsonb_build_object(
             'rows', count(*),
             'ready', count(*) filter (where p.id is null and r.state = 'Ready'),
             'unmatched', count(*) filter (where p.id is null and r.state = 'Unmatched'),
             'duplicate', count(*) filter (where p.id is null and r.state = 'Duplicate'),
             'bad', count(*) filter (where p.id is null and r.state = 'Bad'),
             'blocked', count(*) filter (where p.id is null and r.state <> 'Bad' and r.problems @> '[{"blocks": true}]'),
             'saved', count(p.id),
             'scheduled', count(*) filter (where p.status <> 'Draft'),
             'schedulable', count(*) filter (where ${isSchedulable}),
             'failed', count(r.failure)) as totals
      from import_rows r left join ${postOfRow} where r.workspace_id = i.workspace_id and r.import_id = i.id) t
 where i.workspace_id = $1 and i.read_at is not null`;
type RecordContents = { format: ImportFormat; totals: ImportTotals };
const get = sql('imports.get', `${record} and i.id = $2`).holds<RecordContents>();
const list = sql('imports.list', `${record} order by i.id desc limit $2`).holds<RecordContents>();
const uploader = sql(
  'imports.uploader',
  'select created_by as user_id from imports where id = $2 and workspace_id = $1',
);
/** Rows with a failure that did not become posts. A failed row with a post failed only when it was scheduled. */
const countUnsaved = sql(
  'imports.countUnsaved',
  `select count(r.failure)::int as count from import_rows r left join ${postOfRow}
    where r.workspace_id = $1 and r.import_id = $2 and p.id is null`,
);
const remove = sql('imports.remove', 'delete from imports where id = $1 and workspace_id = $2');
const purge = sql(
  'imports.purge',
  `delete from imports i where i.created_at < posthorn_now() - interval '7 days'
      and (i.created_at < posthorn_now() - interval '90 days'
           or not exists (select from import_rows r join ${postOfRow}
                            where r.workspace_id = i.workspace_id and r.import_id = i.id))`,
);

const rowColumns = `r.number, r.line, ${shownState} as state, r.problems, r.draft, r.text, r.items, r.media,
  p.id as post_id, r.failure`;
const rows = sql(
  'imports.rows',
  `select ${rowColumns} from import_rows r left join ${postOfRow}
    where r.workspace_id = $1 and r.import_id = $2 and r.number > $3
      and (not $4 or r.problems <> '[]' or r.state = 'Duplicate' or r.failure is not null)
    order by r.number limit $5`,
).holds<{ state: ImportRowState; problems: ImportProblem[]; draft: ImportedDraft }>();
export type StoredRow = RowOf<typeof rows>;
const unsaved = sql(
  'imports.unsaved',
  `select r.number from import_rows r left join ${postOfRow}
    where r.workspace_id = $1 and r.import_id = $2 and r.number > $3 and p.id is null and r.draft is not null
      and r.state = any($4) order by r.number limit $5`,
);
const lockRow = sql(
  'imports.lockRow',
  `select draft, post_id from import_rows
    where workspace_id = $1 and import_id = $2 and number = $3 for update`,
  'locks',
).holds<{ draft: ImportedDraft }>();
const peek = sql(
  'imports.peek',
  'select draft from import_rows where workspace_id = $1 and import_id = $2 and number = $3',
).holds<{ draft: ImportedDraft }>();
const setPost = sql(
  'imports.setPost',
  'update import_rows set post_id = $4, failure = null where workspace_id = $1 and import_id = $2 and number = $3',
);
const setFailure = sql(
  'imports.setFailure',
  'update import_rows set failure = $4 where workspace_id = $1 and import_id = $2 and number = $3',
);
const schedulable = sql(
  'imports.schedulable',
  `select r.number, p.id as post_id, p.scheduled_at as at from import_rows r join ${postOfRow}
    where r.workspace_id = $1 and r.import_id = $2 and r.number > $3 and ${isSchedulable} order by r.number limit $4`,
);
const savedDrafts = sql(
  'imports.savedDrafts',
  `select r.number, p.id as post_id from import_rows r join ${postOfRow}
    where r.workspace_id = $1 and r.import_id = $2 and r.number > $3 and p.status = 'Draft' order by r.number limit $4`,
);
const stayed = sql(
  'imports.stayed',
  `select p.id, p.status, coalesce(left(p.versions -> 0 -> 'content' -> 0 ->> 'body', 100), '') as text
     from import_rows r join ${postOfRow}
    where r.workspace_id = $1 and r.import_id = $2 and p.status <> 'Draft' order by r.number limit $3`,
).holds<{ status: PostStatus }>();
const fetched = sql(
  'imports.fetched',
  `select media_id from import_media
    where workspace_id = $1 and import_id = $2 and url = $3 and alt = $4`,
);
const addFetched = sql(
  'imports.addFetched',
  `insert into import_media (workspace_id, import_id, url, alt, media_id) values ($1, $2, $3, $4, $5)
   on conflict do nothing`,
);

export type ImportStore = ReturnType<typeof createImportStore>;

export const createImportStore = (db: Database) => ({
  transaction: db.transaction,

  begin: async (workspaceId: string, userId: string, record: Omit<RowOf<typeof get>, 'createdAt' | 'totals'>) => {
    await db.run(begin, { ...record, workspaceId, userId });
  },

  addRows: async (workspaceId: string, importId: string, newRows: readonly NumberedRow[]) => {
    await db.run(addRows, {
      workspaceId,
      importId,
      numbers: newRows.map(({ number }) => number),
      lines: newRows.map(({ line }) => line),
      fingerprints: newRows.map(({ fingerprint }) => fingerprint),
      states: newRows.map(({ state }) => state),
      problems: newRows.map(({ problems }) => JSON.stringify(problems)),
      drafts: newRows.map(({ draft }) => (draft === null ? null : JSON.stringify(draft))),
      texts: newRows.map(({ text }) => text),
      items: newRows.map(({ items }) => items),
      media: newRows.map(({ media }) => media),
    });
  },

  /** Makes the import visible to the workspace. */
  finish: async (workspaceId: string, id: string) => {
    await db.run(finish, [id, workspaceId]);
  },

  /** When each row was first imported, by fingerprint in hex. Rows never imported are missing. */
  importedAt: async (workspaceId: string, fingerprints: readonly Buffer[]) => {
    const rows = await db.query(importedRows, [workspaceId, fingerprints]);
    return new Map(rows.map(({ fingerprint, createdAt }) => [fingerprint, createdAt]));
  },

  /** The ids that are posts of this workspace. */
  existingPosts: async (workspaceId: string, ids: readonly string[]) =>
    ids.length === 0
      ? new Set<string>()
      : new Set((await db.query(existingPosts, [workspaceId, ids])).map(({ id }) => id)),

  get: async (workspaceId: string, id: string) => (await db.query(get, [workspaceId, id]))[0],

  /** Who uploaded the file. */
  uploader: async (workspaceId: string, id: string) => (await db.query(uploader, [workspaceId, id]))[0]?.userId,

  countUnsaved: async (workspaceId: string, id: string) =>
    (await db.query(countUnsaved, [workspaceId, id]))[0]?.count ?? 0,

  list: (workspaceId: string, limit: number) => db.query(list, [workspaceId, limit]),

  remove: async (workspaceId: string, id: string) => (await db.run(remove, [id, workspaceId])) > 0,

  purge: async () => {
    await db.run(purge);
  },

  rows: (workspaceId: string, importId: string, after: number, problemsOnly: boolean, limit: number) =>
    db.query(rows, [workspaceId, importId, after, problemsOnly, limit]),

  unsaved: async (workspaceId: string, importId: string, after: number, states: readonly string[], limit: number) =>
    (await db.query(unsaved, [workspaceId, importId, after, states, limit])).map(({ number }) => number),

  draft: async (workspaceId: string, importId: string, number: number) =>
    (await db.query(peek, [workspaceId, importId, number]))[0]?.draft ?? undefined,

  /** Undefined when the row is already saved. */
  lockUnsaved: async (workspaceId: string, importId: string, number: number) => {
    const [row] = await db.query(lockRow, [workspaceId, importId, number]);
    // A separate statement, because the one that waited for the lock has an older snapshot and misses a post saved meanwhile.
    const posts = row?.postId ? await db.query(existingPosts, [workspaceId, [row.postId]]) : [];
    return posts.length > 0 ? undefined : (row?.draft ?? undefined);
  },

  setPost: async (workspaceId: string, importId: string, number: number, postId: string) => {
    await db.run(setPost, [workspaceId, importId, number, postId]);
  },

  setFailure: async (workspaceId: string, importId: string, number: number, failure: string | null) => {
    await db.run(setFailure, [workspaceId, importId, number, failure]);
  },

  schedulable: (workspaceId: string, importId: string, after: number, limit: number) =>
    db.query(schedulable, [workspaceId, importId, after, limit]),

  savedDrafts: (workspaceId: string, importId: string, after: number, limit: number) =>
    db.query(savedDrafts, [workspaceId, importId, after, limit]),

  /** Posts of the import that are no longer drafts. */
  stayed: (workspaceId: string, importId: string, limit: number) => db.query(stayed, [workspaceId, importId, limit]),

  fetched: async (workspaceId: string, importId: string, url: string, alt: string) =>
    (await db.query(fetched, [workspaceId, importId, url, alt]))[0]?.mediaId,

  addFetched: async (workspaceId: string, importId: string, url: string, alt: string, mediaId: string) => {
    await db.run(addFetched, [workspaceId, importId, url, alt, mediaId]);
  },
});
