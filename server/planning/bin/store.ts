import { binDays } from '#contracts/bin';
import type { Client } from '#contracts/history';
import type { PostStatus, Result } from '#contracts/posts';
import type { Caller } from '#server/base/context';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';
import type { Place } from '#server/writing/posts/overview';
import { type PostColumnTypes, postColumns, type RemovedPost } from '#server/writing/posts/post-row';

export const reads = ['users'];

/** The rows of other slices that are deleted with a post. */
export interface Companions {
  readonly labelIds: readonly string[];
  /** JSON. */
  readonly history: string;
  readonly comments: string;
  readonly sends: string;
}

const retention = `interval '${binDays} days'`;
/** Expired posts are hidden at once; the chore deletes their rows later. */
const isHere = `deleted_at > posthorn_now() - ${retention}`;
const add = sql(
  'bin.add',
  `insert into deleted_posts (workspace_id, id, status, account_ids, versions, scheduled_at, results, updated_at, created_by,
     created_client, label_ids, history, comments, sends, deleted_by, deleted_client)
   values (:workspaceId, :id, :status, :accountIds, :versions, :scheduledAt, :results, :updatedAt, :createdBy,
     :createdClient, :labelIds, :history, :comments, :sends, :userId, :client)`,
);
const list = sql(
  'bin.list',
  `select b.id, b.status, left(b.versions -> 0 -> 'content' -> 0 ->> 'body', 200) as text,
          coalesce(jsonb_array_length(b.versions -> 0 -> 'content'), 0) as items, b.account_ids, b.scheduled_at, b.results,
          jsonb_path_query_first(b.versions, '$[0].content[*].media[0]') #>> '{}' as media_id, b.created_by,
          b.deleted_by, ${personName('u')} as deleted_by_name, b.deleted_client, b.deleted_at, b.deleted_at + ${retention} as gone_at
     from deleted_posts b left join users u on u.id = b.deleted_by
    where b.workspace_id = $1 and b.${isHere} and ($2::timestamptz is null or (b.deleted_at, b.id) < ($2, $3))
    order by b.deleted_at desc, b.id desc limit $4`,
).holds<{ status: PostStatus; results: Result[]; deletedClient: Client }>();
export type BinRow = RowOf<typeof list>;
const count = sql(
  'bin.count',
  `select count(*)::int as count from deleted_posts where workspace_id = $1 and ${isHere}`,
);
const lock = sql(
  'bin.lock',
  `select created_by, left(versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text from deleted_posts
    where workspace_id = $1 and id = $2 and ${isHere} for update`,
  'locks',
);
const has = sql('bin.has', `select 1 from deleted_posts where workspace_id = $1 and id = $2 and ${isHere}`);
/** The column `sends` is missing until its migration has run, so it is read through `to_jsonb`. */
const take = sql(
  'bin.take',
  `delete from deleted_posts where workspace_id = $1 and id = $2 and ${isHere}
   returning ${postColumns}, created_by, created_client, label_ids, history::text, comments::text,
     coalesce(to_jsonb(deleted_posts) ->> 'sends', '[]') as sends`,
).holds<PostColumnTypes & { createdClient: Client }>();
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

  add: ({ workspaceId, userId, client }: Caller, post: RemovedPost, companions: Companions) =>
    db.run(add, {
      ...post,
      ...companions,
      workspaceId,
      userId,
      versions: JSON.stringify(post.versions),
      results: JSON.stringify(post.results),
      createdClient: jsonOrNull(post.createdClient),
      client: jsonOrNull(client),
    }),

  list: (workspaceId: string, limit: number, after: Place | undefined) =>
    db.query(list, [workspaceId, after?.at ?? null, after?.id ?? null, limit]),

  count: async (workspaceId: string) => (await db.query(count, [workspaceId]))[0]?.count ?? 0,

  /** Returns its author and the beginning of its text. Locks it until the transaction ends. */
  lock: async (workspaceId: string, id: string) => (await db.query(lock, [workspaceId, id]))[0],

  has: async (workspaceId: string, id: string) => (await db.query(has, [workspaceId, id])).length > 0,

  take: async (workspaceId: string, id: string) => (await db.query(take, [workspaceId, id]))[0],

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
