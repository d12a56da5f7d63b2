import type { Client } from '#contracts/history';
import type { Post, PostStatus, Result, Version } from '#contracts/posts';
import type { RightToPublish } from '#server/access/auth/right';
import type { PlanUse } from '#server/access/plans/plans';
import type { Caller } from '#server/base/context';
import { wakes } from '#server/base/jobs/due-work';
import { JsonText } from '#server/base/json/json-text';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import {
  type PostColumnTypes,
  type PostRow,
  postColumns,
  postJsonOf,
  type RemovedPost,
  toPost,
  touch,
} from './post-row.ts';

const postJson = postJsonOf('p');
const get = sql(
  'posts.get',
  `select ${postColumns} from posts where id = $1 and workspace_id = $2`,
).holds<PostColumnTypes>();
const lock = sql(
  'posts.lock',
  `select ${postColumns} from posts where id = $1 and workspace_id = $2 for update`,
  'locks',
).holds<PostColumnTypes>();
const insert = sql(
  'posts.insert',
  `insert into posts as p (id, workspace_id, status, account_ids, versions, scheduled_at, created_by, created_client)
   values (:id, :workspaceId, 'Draft', :accountIds, :versions, :scheduledAt, :userId, :client)
   returning ${postJson} as post, ${notifyTabs('post')}`,
  'quick',
);
const replace = sql(
  'posts.replace',
  `update posts set account_ids = $3, versions = $4, scheduled_at = $5, ${touch} where id = $1 and workspace_id = $2
   returning ${postColumns}, ${notifyTabs('post')}`,
).holds<PostColumnTypes>();
const move = sql(
  'posts.move',
  `update posts set status = $3, scheduled_at = $4, ${touch} where id = $1 and workspace_id = $2
   returning ${postColumns}, ${notifyTabs('post')}`,
).holds<PostColumnTypes>();
const counted = sql('posts.counted', 'select counted from posts where id = $1 and workspace_id = $2').holds<{
  counted: PlanUse;
}>();
const setCounted = sql(
  'posts.setCounted',
  'update posts set counted = $3 where id = $1 and workspace_id = $2',
  'joins',
);
const many = sql(
  'posts.many',
  `select ${postColumns} from posts where id = any($1) and workspace_id = $2`,
).holds<PostColumnTypes>();
/** Another draft with the same content for the same accounts, among the newest posts. */
const findDuplicate = sql(
  'posts.findDuplicate',
  `select newest.id from posts p
     join (select workspace_id, id, status, account_ids, versions from posts where workspace_id between $1 and $1
            order by workspace_id desc, id desc limit $3) newest
       on newest.workspace_id = p.workspace_id and newest.id <> p.id and newest.status = 'Draft'
      and newest.account_ids = p.account_ids and newest.versions = p.versions
    where p.workspace_id = $1 and p.id = $2 order by newest.id desc limit 1`,
);
const hold = sql(
  'posts.hold',
  'select id from posts where workspace_id = $1 and id = any($2) order by id for key share',
  'locks',
);
const setResults = sql(
  'posts.setResults',
  `update posts set results = $3, status = $4, ${touch} where id = $1 and workspace_id = $2 returning ${postColumns}`,
).holds<PostColumnTypes>();

const wake = sql('posts.wake', `select ${wakes('posts')}`);
const remove = sql(
  'posts.remove',
  `delete from posts where id = $1 and workspace_id = $2
   returning ${postColumns}, created_by, created_client, ${notifyTabs('post')}`,
).holds<PostColumnTypes & { createdClient: Client }>();
/** `updated_at` becomes later than before the deletion, so that a caller with the old updatedAt gets a Conflict. */
const putBack = sql(
  'posts.putBack',
  `insert into posts as p (id, workspace_id, status, account_ids, versions, scheduled_at, results, created_by, created_client,
                           updated_at)
   values (:id, :workspaceId, 'Draft', :accountIds, :versions, :scheduledAt, :results, :createdBy, :createdClient,
           greatest(posthorn_now(), :updatedAt::timestamptz + interval '1 microsecond'))
   returning ${postColumns}, ${notifyTabs('post')}`,
).holds<PostColumnTypes>();

/** What posts.create and posts.update write. */
export interface PostContent {
  readonly accountIds: readonly string[];
  readonly versions: readonly Version[];
  readonly scheduledAt: string | null;
}

export type PostStore = ReturnType<typeof createPostStore>;

export const createPostStore = (db: Database) => {
  const one = async <Values>(statement: Statement<Values, PostRow>, ...values: ValuesArgument<Values>) => {
    const [row] = await db.query(statement, ...values);
    return row && toPost(row);
  };
  const changed = async <Values>(statement: Statement<Values, PostRow>, ...values: ValuesArgument<Values>) => {
    const post = await one(statement, ...values);
    if (post === undefined) throw new Error('A locked post disappeared.');
    return post;
  };

  return {
    transaction: db.transaction,

    get: (workspaceId: string, id: string) => one(get, [id, workspaceId]),

    /** Locks the post until the transaction ends. */
    lock: (workspaceId: string, id: string) => one(lock, [id, workspaceId]),

    insert: async (
      id: string,
      { workspaceId, userId, client = { kind: 'App' } }: Caller,
      { accountIds, versions, scheduledAt }: PostContent,
    ) => {
      const content = { accountIds, versions: JSON.stringify(versions), scheduledAt };
      const [row] = await db.query(insert, { id, workspaceId, ...content, userId, client: JSON.stringify(client) });
      if (row === undefined) throw new Error('A post was not inserted.');
      return new JsonText<Post>(row.post);
    },

    replace: (id: string, workspaceId: string, { accountIds, versions, scheduledAt }: PostContent) =>
      changed(replace, [id, workspaceId, accountIds, JSON.stringify(versions), scheduledAt]),

    move: (id: string, by: RightToPublish, status: PostStatus, scheduledAt: string | null) =>
      changed(move, [id, by.workspaceId, status, scheduledAt]),

    /** What the post used of the plan when it was scheduled. */
    counted: async (id: string, workspaceId: string) =>
      (await db.query(counted, [id, workspaceId]))[0]?.counted ?? undefined,

    setCounted: (id: string, by: RightToPublish, planUse: PlanUse) =>
      db.run(setCounted, [id, by.workspaceId, JSON.stringify(planUse)]),

    many: async (workspaceId: string, ids: readonly string[]) => (await db.query(many, [ids, workspaceId])).map(toPost),

    findDuplicate: async (workspaceId: string, id: string, among: number) =>
      (await db.query(findDuplicate, [workspaceId, id, among]))[0]?.id,

    hold: async (workspaceId: string, ids: readonly string[]) =>
      new Set((await db.query(hold, [workspaceId, ids])).map(({ id }) => id)),

    setResults: (id: string, workspaceId: string, results: readonly Result[], status: PostStatus) =>
      changed(setResults, [id, workspaceId, JSON.stringify(results), status]),

    /** Wakes the loop, because a post may be due earlier than it expects. */
    wake: async () => {
      await db.query(wake);
    },

    remove: async (id: string, workspaceId: string): Promise<RemovedPost> => {
      const [row] = await db.query(remove, [id, workspaceId]);
      if (row === undefined) throw new Error('A locked post disappeared.');
      return row;
    },

    /** A deleted post becomes a Draft with its old id. */
    putBack: (workspaceId: string, post: RemovedPost) =>
      changed(putBack, {
        ...post,
        workspaceId,
        versions: JSON.stringify(post.versions),
        results: JSON.stringify(post.results),
        createdClient: post.createdClient && JSON.stringify(post.createdClient),
      }),
  };
};
