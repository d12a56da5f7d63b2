import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['members', 'users'];

export interface Mention {
  readonly id: string;
  readonly name: string;
}

export interface CommentRow {
  readonly id: string;
  readonly postId: string;
  readonly userId: string;
  readonly userName: string;
  readonly body: string;
  readonly mentions: Mention[];
  readonly createdAt: string;
  readonly editedAt: string | null;
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
);
const lock = sql(
  'comments.lock',
  `select ${commentColumns} from post_comments c join users u on u.id = c.user_id
    where c.id = $1 and c.workspace_id = $2 for update of c`,
  'locks',
);
const count = sql(
  'comments.count',
  'select count(*)::int as count from post_comments where workspace_id = $1 and post_id = $2',
);
const insert = sql(
  'comments.insert',
  `insert into post_comments (id, post_id, workspace_id, user_id, body, mentions) values ($1, $2, $3, $4, $5, $6)
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
  members: (workspaceId: string) => db.query<Mention>(members, [workspaceId]),
  list: (workspaceId: string, postId: string) => db.query<CommentRow>(list, [postId, workspaceId]),
  lock: async (workspaceId: string, id: string) => (await db.query<CommentRow>(lock, [id, workspaceId]))[0],
  count: async (workspaceId: string, postId: string) =>
    (await db.query<{ count: number }>(count, [workspaceId, postId]))[0]?.count ?? 0,
  insert: async (
    id: string,
    row: { postId: string; workspaceId: string; userId: string; body: string; mentions: readonly Mention[] },
  ) => {
    const { postId, workspaceId, userId, body, mentions } = row;
    await db.query(insert, [id, postId, workspaceId, userId, body, JSON.stringify(mentions)]);
  },
  change: async (workspaceId: string, id: string, body: string, mentions: readonly Mention[]) => {
    await db.query(change, [workspaceId, id, body, JSON.stringify(mentions)]);
  },
  remove: async (workspaceId: string, id: string) => {
    await db.query(remove, [workspaceId, id]);
  },
  copyRows: async (workspaceId: string, postId: string) =>
    (await db.query<{ rows: string }>(copyRows, [workspaceId, postId]))[0]?.rows ?? '[]',
  putBack: (workspaceId: string, postId: string, rows: string) => db.run(putBack, [workspaceId, postId, rows]),
});
