import type { Label, LabelColor } from '#contracts/labels';
import { type Database, sql } from '#server/base/store/database';

export const reads = ['workspaces'];

const lockWorkspace = sql('labels.lockWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
const list = sql(
  'labels.list',
  `select l.id, l.name, l.color, (select count(*)::int from post_labels on_post
                                   where on_post.workspace_id = $1 and on_post.label_id = l.id) as posts
     from labels l where l.workspace_id = $1 order by l.name_key`,
).holds<Pick<Label, 'color'>>();
const count = sql('labels.count', 'select count(*)::int as count from labels where workspace_id = $1');
const insert = sql(
  'labels.insert',
  `insert into labels (id, workspace_id, name, name_key, color) values ($1, $2, $3, $4, $5)
   on conflict (workspace_id, name_key) do nothing`,
);
const hasName = sql('labels.hasName', 'select from labels where workspace_id = $1 and name_key = $2 and id <> $3');
const change = sql(
  'labels.change',
  `update labels set name = coalesce($3, name), name_key = coalesce($4, name_key), color = coalesce($5, color)
    where id = $1 and workspace_id = $2`,
);
const remove = sql('labels.remove', 'delete from labels where id = $1 and workspace_id = $2');
const lockExisting = sql(
  'labels.lockExisting',
  'select id from labels where workspace_id = $1 and id = any($2) for key share',
  'locks',
);
const ofPost = sql(
  'labels.ofPost',
  `select on_post.label_id as id from post_labels on_post join labels l on l.id = on_post.label_id
    where on_post.workspace_id = $1 and on_post.post_id = $2 order by l.name_key`,
);
const assign = sql(
  'labels.assign',
  `insert into post_labels (workspace_id, post_id, label_id)
   select $1, post_id, label_id from unnest($2::text[]) as post_id, unnest($3::text[]) as label_id
   on conflict do nothing`,
);
const unassign = sql(
  'labels.unassign',
  'delete from post_labels where workspace_id = $1 and post_id = any($2) and label_id = any($3)',
);
const maxPerPost = sql(
  'labels.maxPerPost',
  `select coalesce(max(count), 0)::int as max
     from (select count(*) from post_labels where workspace_id = $1 and post_id = any($2) group by post_id) as counts`,
);

export type LabelStore = ReturnType<typeof createLabelStore>;

export const createLabelStore = (db: Database) => ({
  transaction: db.transaction,

  /** Until the transaction ends, nobody else adds or assigns labels in this workspace. */
  lockWorkspace: (workspaceId: string) => db.run(lockWorkspace, [workspaceId]),

  /** Sorted by name. */
  list: (workspaceId: string) => db.query(list, [workspaceId]),
  count: async (workspaceId: string) => (await db.query(count, [workspaceId]))[0]?.count ?? 0,

  /** False if the name is taken. */
  insert: async (
    workspaceId: string,
    id: string,
    { name, key, color }: { name: string; key: string; color: LabelColor },
  ) => (await db.run(insert, [id, workspaceId, name, key, color])) > 0,
  hasName: async (workspaceId: string, key: string, otherThan: string) =>
    (await db.query(hasName, [workspaceId, key, otherThan])).length > 0,
  change: async (
    workspaceId: string,
    id: string,
    { name, key, color }: { name?: string | undefined; key?: string | undefined; color?: LabelColor | undefined },
  ) => (await db.run(change, [id, workspaceId, name ?? null, key ?? null, color ?? null])) > 0,
  remove: async (workspaceId: string, id: string) => (await db.run(remove, [id, workspaceId])) > 0,

  /** Returns the ids that exist. They cannot be deleted until the transaction ends. */
  lockExisting: async (workspaceId: string, ids: readonly string[]) =>
    new Set((await db.query(lockExisting, [workspaceId, ids])).map(({ id }) => id)),

  ofPost: async (workspaceId: string, postId: string) =>
    (await db.query(ofPost, [workspaceId, postId])).map(({ id }) => id),
  assign: (workspaceId: string, postIds: readonly string[], labelIds: readonly string[]) =>
    db.run(assign, [workspaceId, postIds, labelIds]),
  unassign: (workspaceId: string, postIds: readonly string[], labelIds: readonly string[]) =>
    db.run(unassign, [workspaceId, postIds, labelIds]),
  /** The largest number of labels on any of the posts. */
  maxPerPost: async (workspaceId: string, postIds: readonly string[]) =>
    (await db.query(maxPerPost, [workspaceId, postIds]))[0]?.max ?? 0,
});
