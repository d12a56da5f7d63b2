import { binDays } from '#contracts/bin';
import type { Client } from '#contracts/history';
import type { PostStatus, Result } from '#contracts/posts';
import type { Caller } from '#server/base/context';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';
import type { Place } from '#server/writing/posts/overview';
import { postColumns, type RemovedPost } from '#server/writing/posts/post-row';

export const reads = ['users'];

/** The rows of other slices that are deleted with a post. */
export interface Companions {
  readonly labelIds: readonly string[];
  /** JSON. */
  readonly history: string;
  readonly comments: string;
  readonly sends: string;
}

export interface BinRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly text: string | null;
  readonly items: number;
  readonly accountIds: string[];
  readonly scheduledAt: string | null;
  readonly results: Result[];
  readonly mediaId: string | null;
  readonly createdBy: string;
  readonly deletedBy: string;
  readonly deletedByName: string | null;
  readonly deletedClient: Client | null;
  readonly deletedAt: string;
  readonly goneAt: string;
}

const retention = `interval '${binDays} days'`;
/** Expired posts are hidden at once; the chore deletes their rows later. */
const isHere = `deleted_at > posthorn_now() - ${retention}`;
const add = sql(
  'bin.add',
  `insert into deleted_posts (workspace_id, id, status, account_ids, versions, scheduled_at, results, updated_at, created_by,
     created_client, label_ids, history, comments, sends, deleted_by, deleted_client)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
);
const list = sql(
  'bin.list',
  `select b.id, b.status, left(b.versions -> 0 -> 'content' -> 0 ->> 'body', 200) as text,
          jsonb_array_length(b.versions -> 0 -> 'content') as items, b.account_ids, b.scheduled_at, b.results,
          jsonb_path_query_first(b.versions, '$[0].content[*].media[0]') #>> '{}' as media_id, b.created_by,
          b.deleted_by, ${personName('u')} as deleted_by_name, b.deleted_client, b.deleted_at, b.deleted_at + ${retention} as gone_at
     from deleted_posts b left join users u on u.id = b.deleted_by
    where b.workspace_id = $1 and b.${isHere} and ($2::timestamptz is null or (b.deleted_at, b.id) < ($2, $3))
    order by b.deleted_at desc, b.id desc limit $4`,
);
const count = sql(
  'bin.count',
  `select count(*)::int as count from deleted_posts where workspace_id = $1 and ${isHere}`,
);
const lock = sql(
  'bin.lock',
  `select created_by as "createdBy", left(versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text from deleted_posts
    where workspace_id = $1 and id = $2 and ${isHere} for update`,
  'locks',
);
const has = sql('bin.has', `select 1 from deleted_posts where workspace_id = $1 and id = $2 and ${isHere}`);
/** The column `sends` is missing until its migration has run, so it is read through `to_jsonb`. */
const take = sql(
  'bin.take',
  `delete from deleted_posts where workspace_id = $1 and id = $2 and ${isHere}
   returning ${postColumns}, created_by as "createdBy", created_client as "createdClient", label_ids as "labelIds",
     history::text, comments::text, coalesce(to_jsonb(deleted_posts) ->> 'sends', '[]') as sends`,
);
const remove = sql(
  'bin.remove',
  `delete from deleted_posts where workspace_id = $1 and id = $2 returning ${notifyTabs('post')}`,
);
const empty = sql('bin.empty', 'delete from deleted_posts where workspace_id = $1');
const notify = sql('bin.notify', `select ${notifyTabs('post', { id: "''", workspaceId: '$1::text' })}`);
const purge = sql(
  'bin.purge',
  `delete from deleted_posts where (workspace_id, id) in (
     select workspace_id, id from deleted_posts where not (${isHere}) order by deleted_at limit $1 for update skip locked)`,
);

export type BinStore = ReturnType<typeof createBinStore>;

export const createBinStore = (db: Database) => ({
  transaction: db.transaction,

  add: (
    { workspaceId, userId, client }: Caller,
    post: RemovedPost,
    { labelIds, history, comments, sends }: Companions,
  ) =>
    db.run(add, [
      workspaceId,
      post.id,
      post.status,
      post.accountIds,
      JSON.stringify(post.versions),
      post.scheduledAt,
      JSON.stringify(post.results),
      post.updatedAt,
      post.createdBy,
      jsonOrNull(post.createdClient),
      labelIds,
      history,
      comments,
      sends,
      userId,
      jsonOrNull(client),
    ]),

  list: (workspaceId: string, limit: number, after: Place | undefined) =>
    db.query<BinRow>(list, [workspaceId, after?.at ?? null, after?.id ?? null, limit]),

  count: async (workspaceId: string) => (await db.query<{ count: number }>(count, [workspaceId]))[0]?.count ?? 0,

  /** Returns its author and the beginning of its text. Locks it until the transaction ends. */
  lock: async (workspaceId: string, id: string) =>
    (await db.query<{ createdBy: string; text: string | null }>(lock, [workspaceId, id]))[0],

  has: async (workspaceId: string, id: string) => (await db.query(has, [workspaceId, id])).length > 0,

  take: async (workspaceId: string, id: string) =>
    (await db.query<RemovedPost & Companions>(take, [workspaceId, id]))[0],

  remove: (workspaceId: string, id: string) => db.query(remove, [workspaceId, id]),

  empty: async (workspaceId: string) => {
    const removed = await db.run(empty, [workspaceId]);
    await db.query(notify, [workspaceId]);
    return removed;
  },

  /** Returns how many were removed. */
  purge: (limit: number) => db.run(purge, [limit]),
});

const jsonOrNull = (value: object | null | undefined) => (value ? JSON.stringify(value) : null);
