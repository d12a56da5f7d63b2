import { notifyTabs } from '#server/base/live/changes';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['members', 'users'];

export interface Mention {
  readonly id: string;
  readonly name: string;
}

const commentColumns = `c.id, c.post_id, c.user_id, ${personName('u')} as user_name, c.body, c.mentions, c.created_at, c.edited_at`;
const tellsOfComment = notifyTabs('comment', { id: 'post_id' });

const members = sql(
  'review.members',
  `select u.id, ${personName('u')} as name from members m join users u on u.id = m.user_id where m.workspace_id = $1`,
);
const list = sql(
  'comments.list',
  `select ${commentColumns} from post_comments c join users u on u.id = c.user_id
    where c.post_id = $1 and c.workspace_id = $2 order by c.id`,
).holds<{ mentions: Mention[] }>();
export type CommentRow = RowOf<typeof list>;
const lock = sql(
  'comments.lock',
  `select ${commentColumns} from post_comments c join users u on u.id = c.user_id
    where c.id = $1 and c.workspace_id = $2 for update of c`,
  'locks',
).holds<{ mentions: Mention[] }>();
const count = sql(
  'comments.count',
  'select count(*)::int as count from post_comments where workspace_id = $1 and post_id = $2',
);
const insert = sql(
  'comments.insert',
  `insert into post_comments (id, post_id, workspace_id, user_id, body, mentions)
   values (:id, :postId, :workspaceId, :userId, :body, :mentions)
   returning ${tellsOfComment}`,
);
const change = sql(
  'comments.change',
  `update post_comments set body = $3, mentions = $4, edited_at = posthorn_now() where workspace_id = $1 and id = $2
   returning ${tellsOfComment}`,
);
const remove = sql(
  'comments.remove',
  `delete from post_comments where workspace_id = $1 and id = $2 returning ${tellsOfComment}`,
);

const columns = 'id, user_id, body, mentions, created_at, edited_at';
/** Locks the rows, so that an edit in progress is in the copy. */
const copyRows = sql(
  'comments.copyRows',
  `select coalesce(jsonb_agg(to_jsonb(c)), '[]')::text as rows
     from (select * from post_comments where workspace_id = $1 and post_id = $2 for update) c`,
  'locks',
);
/** Leaves out comments of people whose account was deleted meanwhile. */
const putBack = sql(
  'comments.putBack',
  `insert into post_comments (workspace_id, post_id, ${columns})
   select $1, $2, ${columns} from jsonb_populate_recordset(null::post_comments, $3) c
    where exists (select from users u where u.id = c.user_id)`,
);

export type CommentStore = ReturnType<typeof createCommentStore>;

export const createCommentStore = (db: Database) => ({
  transaction: db.transaction,
  members: (workspaceId: string) => db.query(members, [workspaceId]),
  list: (workspaceId: string, postId: string) => db.query(list, [postId, workspaceId]),
  lock: async (workspaceId: string, id: string) => (await db.query(lock, [id, workspaceId]))[0],
  count: async (workspaceId: string, postId: string) => (await db.query(count, [workspaceId, postId]))[0]?.count ?? 0,
  insert: async (
    id: string,
    row: { postId: string; workspaceId: string; userId: string; body: string; mentions: readonly Mention[] },
  ) => {
    await db.query(insert, { ...row, id, mentions: JSON.stringify(row.mentions) });
  },
  change: async (workspaceId: string, id: string, body: string, mentions: readonly Mention[]) => {
    await db.query(change, [workspaceId, id, body, JSON.stringify(mentions)]);
  },
  remove: async (workspaceId: string, id: string) => {
    await db.query(remove, [workspaceId, id]);
  },
  copyRows: async (workspaceId: string, postId: string) =>
    (await db.query(copyRows, [workspaceId, postId]))[0]?.rows ?? '[]',
  putBack: (workspaceId: string, postId: string, rows: string) => db.run(putBack, [workspaceId, postId, rows]),
});
