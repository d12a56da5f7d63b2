import type { Post, PostStatus, Result, Version } from '#contracts/posts';
import { type Database, sql } from '#server/store/database';

interface PostRow {
  readonly id: string;
  readonly status: PostStatus;
  readonly account_ids: string[];
  readonly versions: Version[];
  readonly scheduled_at: string | null;
  readonly results: Result[];
  readonly updated_at: string;
}

const columns = 'id, status, account_ids, versions, scheduled_at, results, updated_at';

const get = sql('posts.get', `select ${columns} from posts where id = $1 and workspace_id = $2`);
const lock = sql('posts.lock', `select ${columns} from posts where id = $1 and workspace_id = $2 for update`);
// Written so, only the index made for it gives this order. With `=` the planner may walk through the posts of everybody,
// hoping to meet those of this workspace or status soon.
const list = sql(
  'posts.list',
  `select ${columns} from posts where workspace_id between $1 and $1 and id < $3
    order by workspace_id, id desc limit $2`,
);
const listByStatus = sql(
  'posts.listByStatus',
  `select ${columns} from posts where workspace_id between $1 and $1 and status between $4 and $4 and id < $3
    order by workspace_id, status, id desc limit $2`,
);
const afterEveryId = 'q'; // they begin with post_
const insert = sql(
  'posts.insert',
  `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
   values ($1, $2, 'Draft', $3, $4, $5, $6) returning ${columns}`,
);
const replace = sql(
  'posts.replace',
  `update posts set account_ids = $3, versions = $4, scheduled_at = $5 where id = $1 and workspace_id = $2
   returning ${columns}`,
);
const move = sql(
  'posts.move',
  `update posts set status = $3, scheduled_at = $4 where id = $1 and workspace_id = $2
   returning ${columns}`,
);
/** An account that has the post, was taken out of it and is in it again: its result is back, so nothing is sent twice. */
const recallOut = sql(
  'posts.recallOut',
  `update posts set results = posts.results || back.results
     from (select p.id, jsonb_agg(s.result) as results
             from posts p join sends s on s.post_id = p.id and s.account_id = any(p.account_ids)
            where p.id = any($1) and (s.result ->> 'ok')::boolean
              and not exists (select from jsonb_array_elements(p.results) r where r ->> 'accountId' = s.account_id)
            group by p.id) back
    where posts.id = back.id`,
);
const many = sql('posts.many', `select ${columns} from posts where id = any($1) and workspace_id = $2`);
const scheduledFor = sql(
  'posts.scheduledFor',
  `select id, left(versions -> 0 -> 'content' -> 0 ->> 'body', 100) as text, scheduled_at as "scheduledAt" from posts
    where workspace_id = $1 and status = 'Scheduled' and $2 = any(account_ids) order by scheduled_at limit $3`,
);
const begin = sql('posts.begin', 'select begin_publishing($1)');
const end = sql('posts.end', `select workspace_id, ${columns} from end_publishing($1)`);
const forgetBegun = sql(
  'posts.forgetBegun',
  'update sends set begun_at = null, prepared = null where post_id = $1 and account_id = any($2) and due_at is null',
);
const wake = sql('posts.wake', "select pg_notify('posthorn_due', 'posts')");
const usesMedia = sql(
  'posts.usesMedia',
  'select 1 from posts where workspace_id = $1 and versions @> $2::jsonb limit 1',
);
const remove = sql('posts.remove', 'delete from posts where id = $1 and workspace_id = $2');

/** What posts.create and posts.update write. */
export interface PostContent {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
  readonly scheduledAt: string | null;
}

export type PostStore = ReturnType<typeof createPostStore>;

export const createPostStore = (db: Database) => {
  const one = async (...query: Parameters<typeof db.query>) => {
    const [row] = await db.query<PostRow>(...query);
    return row && toPost(row);
  };
  const changed = async (...query: Parameters<typeof db.query>) => {
    const post = await one(...query);
    if (post === undefined) throw new Error('a post that was locked is gone');
    return post;
  };

  return {
    transaction: db.transaction,

    get: (workspaceId: string, id: string) => one(get, [id, workspaceId]),

    /** Inside a transaction: nobody else changes the post until it ends. */
    lock: (workspaceId: string, id: string) => one(lock, [id, workspaceId]),

    list: async (workspaceId: string, limit: number, before: string | null, status: PostStatus | undefined) => {
      const values = [workspaceId, limit, before ?? afterEveryId];
      const rows = await (status === undefined
        ? db.query<PostRow>(list, values)
        : db.query<PostRow>(listByStatus, [...values, status]));
      return rows.map(toPost);
    },

    usesMedia: async (workspaceId: string, mediaId: string) => {
      const rows = await db.query(usesMedia, [workspaceId, JSON.stringify([{ content: [{ media: [mediaId] }] }])]);
      return rows.length > 0;
    },

    insert: (id: string, workspaceId: string, createdBy: string, { accountIds, versions, scheduledAt }: PostContent) =>
      changed(insert, [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt, createdBy]),

    replace: (id: string, workspaceId: string, { accountIds, versions, scheduledAt }: PostContent) =>
      changed(replace, [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt]),

    move: (id: string, workspaceId: string, status: PostStatus, scheduledAt: string | null) =>
      changed(move, [id, workspaceId, status, scheduledAt]),

    many: async (workspaceId: string, ids: readonly string[]) =>
      (await db.query<PostRow>(many, [ids, workspaceId])).map(toPost),

    scheduledFor: (workspaceId: string, accountId: string, limit: number) =>
      db.query<{ id: string; text: string; scheduledAt: string }>(scheduledFor, [workspaceId, accountId, limit]),

    recallOut: async (ids: readonly string[]) => {
      await db.run(recallOut, [ids]);
    },

    /** To Publishing, with one send for each account that does not have the post yet. */
    begin: async (ids: readonly string[]) => {
      await db.query(begin, [ids]);
    },

    /** Those in Publishing that have no account left to go to are Published or Failed then. */
    end: async (ids: readonly string[]) =>
      (await db.query<PostRow & { workspace_id: string }>(end, [ids])).map((row) => ({
        workspaceId: row.workspace_id,
        post: toPost(row),
      })),

    /** Somebody looked: what may have been sent is not there. */
    forgetBegun: async (id: string, accountIds: readonly string[]) => {
      await db.run(forgetBegun, [id, accountIds]);
    },

    /** Something is due earlier than was known. */
    wake: async () => {
      await db.query(wake);
    },

    remove: async (id: string, workspaceId: string) => {
      await db.query(remove, [id, workspaceId]);
    },
  };
};

const toPost = (row: PostRow): Post => ({
  id: row.id,
  status: row.status,
  accountIds: row.account_ids,
  versions: row.versions,
  ...(row.scheduled_at !== null && { scheduledAt: row.scheduled_at }),
  // The row remembers accounts that were taken out: should they come back, they still have the post.
  results: row.results.filter(({ accountId }) => row.account_ids.includes(accountId)),
  updatedAt: row.updated_at,
});
