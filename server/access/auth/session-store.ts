import type { Proof } from '#contracts/receipts';
import type { Role } from '#contracts/scopes';
import { canPublish } from '#server/base/store/can-publish';
import { type Database, sql } from '#server/base/store/database';
import { lacksFactor } from '#server/base/store/has-second-factor';

export const reads = ['members', 'users', 'workspaces'];

/** Runs for every request of the app. The open workspace counts only while the user is a member. */
const readSession = sql(
  'sessions.read',
  `select s.id, s.user_id, u.email, s.by_link, s.means, s.created_at, s.last_seen_at, w.id as workspace_id, w.name as workspace_name,
          m.role, ${canPublish('m', 'w')} as can_publish, ${lacksFactor('m', 'w')} as lacks_factor
     from sessions s join users u on u.id = s.user_id
     left join members m on m.user_id = u.id and m.workspace_id = s.workspace_id
     left join workspaces w on w.id = m.workspace_id
    where s.hash = $1 and s.created_at > $2 and s.last_seen_at > $3`,
).holds<{ means: Proof[]; role: Role }>();
/** Opens the workspace that the user opened last, or another one if they are no longer a member. */
const insertSession = sql(
  'sessions.insert',
  `insert into sessions (id, hash, user_id, created_at, last_seen_at, user_agent, by_link, means, workspace_id)
   values (:id, :hash, :userId, :at, :at, :userAgent, :byLink, :means, (
     select m.workspace_id from members m join users u on u.id = m.user_id
      where m.user_id = :userId order by m.workspace_id <> coalesce(u.last_workspace_id, ''), m.workspace_id limit 1))`,
);
const seenSession = sql('sessions.seen', 'update sessions set last_seen_at = $2 where hash = $1');
const openInSession = sql('sessions.open', 'update sessions set workspace_id = $2 where id = $1');
const closeInSessions = sql(
  'sessions.close',
  'update sessions set workspace_id = null where user_id = $1 and workspace_id = $2',
);
const listSessions = sql(
  'sessions.list',
  `select id, created_at as since, last_seen_at, user_agent from sessions
    where user_id = $1 and created_at > $2 and last_seen_at > $3 order by last_seen_at desc, id desc`,
);
const countByUser = sql(
  'sessions.countByUser',
  'select user_id, count(*)::int as count, max(last_seen_at) as last_seen_at from sessions group by user_id',
);
const removeOld = sql('sessions.removeOld', 'delete from sessions where created_at <= $1 or last_seen_at <= $2');
const removeSession = sql('sessions.remove', 'delete from sessions where hash = $1 returning user_id');
const removeOne = sql('sessions.removeOne', 'delete from sessions where user_id = $1 and id = $2');
const removeOthers = sql('sessions.removeOthers', 'delete from sessions where user_id = $1 and hash <> $2');

export type SessionStore = ReturnType<typeof createSessionStore>;

export const createSessionStore = (db: Database) => ({
  insert: (
    id: string,
    hash: Buffer,
    userId: string,
    at: Date,
    userAgent: string,
    byLink: boolean,
    means: readonly Proof[],
  ) => db.run(insertSession, { id, hash, userId, at, userAgent, byLink, means }),

  read: async (hash: Buffer, createdAfter: Date, seenAfter: Date, recentAfter: Date) => {
    const [row] = await db.query(readSession, [hash, createdAfter, seenAfter]);
    if (row === undefined) return undefined;
    const { workspaceId: id, workspaceName: name, role } = row;
    const workspace =
      id !== null && name !== null && role !== null
        ? {
            workspace: {
              id,
              name,
              role,
              canPublish: row.canPublish === true,
              lacksFactor: row.lacksFactor === true,
            },
          }
        : {};
    const { userId, id: sessionId, email, means } = row;
    const isRecent = new Date(row.createdAt) > recentAfter;
    const signedIn = { userId, sessionId, email, byLink: row.byLink && isRecent, isRecent, means, ...workspace };
    return { lastSeenAt: row.lastSeenAt, signedIn };
  },

  seen: (hash: Buffer, at: Date) => db.run(seenSession, [hash, at]),
  open: (id: string, workspaceId: string) => db.run(openInSession, [id, workspaceId]),
  close: (userId: string, workspaceId: string) => db.run(closeInSessions, [userId, workspaceId]),
  list: (userId: string, createdAfter: Date, seenAfter: Date) =>
    db.query(listSessions, [userId, createdAfter, seenAfter]),
  countByUser: () => db.query(countByUser),
  /** Returns the user of the session. */
  remove: async (hash: Buffer) => (await db.query(removeSession, [hash]))[0]?.userId,
  removeOne: (userId: string, id: string) => db.run(removeOne, [userId, id]),
  removeOld: (createdBefore: Date, seenBefore: Date) => db.run(removeOld, [createdBefore, seenBefore]),
  removeOthers: (userId: string, hash: Buffer) => db.run(removeOthers, [userId, hash]),
});
