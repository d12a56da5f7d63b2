import type { Advice } from '#contracts/review';
import type { Right } from '#server/access/auth/right';
import { notifyTabs } from '#server/base/live/changes';
import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['members', 'posts', 'users'];

export interface Mention {
  readonly id: string;
  readonly name: string;
}

export interface CommentRow {
  readonly id: string;
  readonly post_id: string;
  readonly user_id: string;
  readonly user_name: string;
  readonly body: string;
  readonly mentions: Mention[];
  readonly created_at: string;
  readonly edited_at: string | null;
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

export interface ShareRow {
  readonly id: string;
  readonly post_id: string;
  readonly workspace_id: string;
  readonly made_by: string;
  readonly made_by_name: string;
  readonly invites_advice: boolean;
  readonly created_at: string;
  readonly expires_at: string;
}

/** A share ends with the membership of its creator. */
const liveShares = `select s.id, s.post_id, s.workspace_id, s.made_by, ${personName('u')} as made_by_name, s.invites_advice,
           s.created_at, s.expires_at
    from post_shares s join users u on u.id = s.made_by
    join members m on m.workspace_id = s.workspace_id and m.user_id = s.made_by`;
const bySecret = sql('shares.bySecret', `${liveShares} where s.secret_hash = $1 and s.expires_at > $2`);
const ofPost = sql(
  'shares.ofPost',
  `${liveShares} where s.post_id = $1 and s.workspace_id = $2 and s.expires_at > $3 order by s.id desc`,
);
const insertShare = sql(
  'shares.insert',
  `insert into post_shares (id, post_id, workspace_id, secret_hash, made_by, created_at, expires_at, invites_advice)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const removeShare = sql(
  'shares.remove',
  'delete from post_shares where id = $1 and workspace_id = $2 and expires_at > $3 returning post_id',
);
const removeSharesOf = sql('shares.removeOf', 'delete from post_shares where workspace_id = $1 and made_by = $2');
const purgeShares = sql('shares.purge', 'delete from post_shares where expires_at <= $1');

export type ShareStore = ReturnType<typeof createShareStore>;

export const createShareStore = (db: Database) => ({
  transaction: db.transaction,
  bySecret: async (hash: Buffer, now: Date) => (await db.query<ShareRow>(bySecret, [hash, now]))[0],
  ofPost: (workspaceId: string, postId: string, now: Date) => db.query<ShareRow>(ofPost, [postId, workspaceId, now]),
  insert: (
    { workspaceId, userId }: Right,
    row: { id: string; postId: string; hash: Buffer; createdAt: Date; expiresAt: Date; invitesAdvice: boolean },
  ) => {
    const { id, postId, hash, createdAt, expiresAt, invitesAdvice } = row;
    return db.run(insertShare, [id, postId, workspaceId, hash, userId, createdAt, expiresAt, invitesAdvice]);
  },
  /** Returns the id of the post. */
  remove: async (workspaceId: string, id: string, now: Date) =>
    (await db.query<{ post_id: string }>(removeShare, [id, workspaceId, now]))[0]?.post_id,
  removeOf: (workspaceId: string, madeBy: string) => db.run(removeSharesOf, [workspaceId, madeBy]),
  purge: (now: Date) => db.run(purgeShares, [now]),
});

interface NewAdviceRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly postId: string;
  readonly shareId: string;
  readonly name: string;
  readonly verdict: Advice['verdict'];
  readonly body: string;
  readonly about: string;
  readonly createdAt: Date;
}

const insertAdvice = sql(
  'advice.insert',
  `insert into post_advice (id, workspace_id, post_id, share_id, name, verdict, body, about, created_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${tellsOfComment}`,
);
const listAdvice = sql(
  'advice.list',
  `select a.id, a.name, a.verdict, a.body, a.about = p.updated_at as "isCurrent", a.created_at as "createdAt"
     from post_advice a join posts p on p.workspace_id = a.workspace_id and p.id = a.post_id
    where a.workspace_id = $1 and a.post_id = $2 order by a.id`,
);
const countOfShare = sql(
  'advice.countOfShare',
  'select count(*)::int as count from post_advice where workspace_id = $1 and share_id = $2',
);
const removeAdvice = sql(
  'advice.remove',
  `delete from post_advice where workspace_id = $1 and id = $2 returning ${tellsOfComment}`,
);

export type AdviceStore = ReturnType<typeof createAdviceStore>;

export const createAdviceStore = (db: Database) => ({
  transaction: db.transaction,
  insert: async ({ id, workspaceId, postId, shareId, name, verdict, body, about, createdAt }: NewAdviceRow) => {
    await db.query(insertAdvice, [id, workspaceId, postId, shareId, name, verdict, body, about, createdAt]);
  },
  list: (workspaceId: string, postId: string) => db.query<Advice>(listAdvice, [workspaceId, postId]),
  countOfShare: async (workspaceId: string, shareId: string) =>
    (await db.query<{ count: number }>(countOfShare, [workspaceId, shareId]))[0]?.count ?? 0,
  remove: async (workspaceId: string, id: string) => (await db.query(removeAdvice, [workspaceId, id])).length > 0,
});
