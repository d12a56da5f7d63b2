import type { Right } from '#server/access/auth/right';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['members', 'users'];

/** A share ends with the membership of its creator. */
const liveShares = `select s.id, s.post_id, s.workspace_id, s.made_by, ${personName('u')} as made_by_name, s.invites_advice,
           s.created_at, s.expires_at
    from post_shares s join users u on u.id = s.made_by
    join members m on m.workspace_id = s.workspace_id and m.user_id = s.made_by`;
const bySecret = sql('shares.bySecret', `${liveShares} where s.secret_hash = $1 and s.expires_at > $2`);
export type ShareRow = RowOf<typeof bySecret>;
const ofPost = sql(
  'shares.ofPost',
  `${liveShares} where s.post_id = $1 and s.workspace_id = $2 and s.expires_at > $3 order by s.id desc`,
);
const insertShare = sql(
  'shares.insert',
  `insert into post_shares (id, post_id, workspace_id, secret_hash, made_by, created_at, expires_at, invites_advice)
   values (:id, :postId, :workspaceId, :hash, :userId, :createdAt, :expiresAt, :invitesAdvice)`,
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
  bySecret: async (hash: Buffer, now: Date) => (await db.query(bySecret, [hash, now]))[0],
  ofPost: (workspaceId: string, postId: string, now: Date) => db.query(ofPost, [postId, workspaceId, now]),
  insert: (
    { workspaceId, userId }: Right,
    row: { id: string; postId: string; hash: Buffer; createdAt: Date; expiresAt: Date; invitesAdvice: boolean },
  ) => db.run(insertShare, { ...row, workspaceId, userId }),
  /** Returns the id of the post. */
  remove: async (workspaceId: string, id: string, now: Date) =>
    (await db.query(removeShare, [id, workspaceId, now]))[0]?.postId,
  removeOf: (workspaceId: string, madeBy: string) => db.run(removeSharesOf, [workspaceId, madeBy]),
  purge: (now: Date) => db.run(purgeShares, [now]),
});
