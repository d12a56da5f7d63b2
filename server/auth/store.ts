import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from 'sequelize';
import type { Role } from '#contracts/scopes';
import { type Database, sql } from '#server/store/database';

/** Every request asks this one, so it is a prepared statement. */
const findMember = sql(
  'tokens.find',
  `select t.id as token_id, t.user_id, t.workspace_id, m.role, w.statistics_tools
     from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
     join workspaces w on w.id = t.workspace_id
    where t.hash = $1 and t.revoked_at is null`,
);

interface MemberRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly role: Role;
  readonly statistics_tools: boolean;
}

const toMember = (row: MemberRow) => ({
  member: { userId: row.user_id, workspaceId: row.workspace_id, role: row.role },
  statisticsTools: row.statistics_tools,
});

const saveLastUsed = sql(
  'tokens.saveLastUsed',
  `update personal_tokens t set last_used_at = used.at
     from unnest($1::text[], $2::timestamptz[]) as used (id, at) where t.id = used.id`,
);

const pick = ({ userId, workspaceId }: { userId?: string; workspaceId?: string }) => ({
  ...(userId !== undefined && { userId }),
  ...(workspaceId !== undefined && { workspaceId }),
});

export type TokenStore = ReturnType<typeof createTokenStore>;

export const createTokenStore = (db: Database) => {
  class PersonalToken extends Model<InferAttributes<PersonalToken>, InferCreationAttributes<PersonalToken>> {
    declare id: string;
    declare workspaceId: string;
    declare userId: string;
    declare name: string;
    declare hash: Buffer;
    declare createdAt: CreationOptional<string>;
    declare lastUsedAt: CreationOptional<string | null>;
    declare revokedAt: CreationOptional<string | null>;
  }
  PersonalToken.init(
    {
      id: { type: DataTypes.TEXT, primaryKey: true },
      workspaceId: DataTypes.TEXT,
      userId: DataTypes.TEXT,
      name: DataTypes.TEXT,
      hash: DataTypes.BLOB,
      createdAt: DataTypes.DATE(6),
      lastUsedAt: DataTypes.DATE(6),
      revokedAt: DataTypes.DATE(6),
    },
    { sequelize: db.sequelize, tableName: 'personal_tokens', underscored: true, timestamps: false },
  );

  return {
    insert: async (token: { id: string; workspaceId: string; userId: string; name: string; hash: Buffer }) =>
      (await PersonalToken.create(token, { returning: true })).createdAt,

    find: async (hash: Buffer) => {
      const [row] = await db.query<MemberRow & { token_id: string }>(findMember, [hash]);
      return row && { tokenId: row.token_id, ...toMember(row) };
    },

    list: async (owner: { userId: string; workspaceId: string }) => {
      const tokens = await PersonalToken.findAll({
        where: { ...pick(owner), revokedAt: null },
        order: [['id', 'DESC']],
      });
      return tokens.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }));
    },

    revoke: async (id: string, owner: { userId?: string; workspaceId?: string } = {}) => {
      const [changed] = await PersonalToken.update(
        { revokedAt: db.sequelize.fn('posthorn_now') as unknown as string },
        { where: { id, revokedAt: null, ...pick(owner) } },
      );
      return changed > 0;
    },

    saveLastUsed: async (used: [id: string, at: Date][]) => {
      await db.query(saveLastUsed, [used.map(([id]) => id), used.map(([, at]) => at)]);
    },
  };
};

interface SessionRow {
  readonly user_id: string;
  readonly email: string;
  readonly last_seen_at: string;
  readonly workspace_id: string | null;
  readonly workspace_name: string | null;
  readonly role: Role | null;
}

/** Every request of the app asks this one. The workspace is the one opened last, while the user is in it. */
const readSession = sql(
  'sessions.read',
  `select s.user_id, u.email, s.last_seen_at, w.id as workspace_id, w.name as workspace_name, m.role
     from sessions s join users u on u.id = s.user_id
     left join members m on m.user_id = u.id and m.workspace_id = u.last_workspace_id
     left join workspaces w on w.id = m.workspace_id
    where s.hash = $1 and s.created_at > $2 and s.last_seen_at > $3`,
);
const insertSession = sql(
  'sessions.insert',
  'insert into sessions (hash, user_id, created_at, last_seen_at) values ($1, $2, $3, $3)',
);
const seenSession = sql('sessions.seen', 'update sessions set last_seen_at = $2 where hash = $1');
const removeOld = sql('sessions.removeOld', 'delete from sessions where created_at <= $1 or last_seen_at <= $2');
const removeSession = sql('sessions.remove', 'delete from sessions where hash = $1');
const removeOthers = sql('sessions.removeOthers', 'delete from sessions where user_id = $1 and hash <> $2');

export type SessionStore = ReturnType<typeof createSessionStore>;

export const createSessionStore = (db: Database) => ({
  insert: (hash: Buffer, userId: string, at: Date) => db.run(insertSession, [hash, userId, at]),

  read: async (hash: Buffer, createdAfter: Date, seenAfter: Date) => {
    const [row] = await db.query<SessionRow>(readSession, [hash, createdAfter, seenAfter]);
    if (row === undefined) return undefined;
    const { workspace_id: id, workspace_name: name, role } = row;
    const workspace = id !== null && name !== null && role !== null ? { workspace: { id, name, role } } : {};
    return { lastSeenAt: row.last_seen_at, signedIn: { userId: row.user_id, email: row.email, ...workspace } };
  },

  seen: (hash: Buffer, at: Date) => db.run(seenSession, [hash, at]),
  remove: (hash: Buffer) => db.run(removeSession, [hash]),
  removeOld: (createdBefore: Date, seenBefore: Date) => db.run(removeOld, [createdBefore, seenBefore]),
  removeOthers: (userId: string, hash: Buffer) => db.run(removeOthers, [userId, hash]),
});

const lastWorkspace = sql(
  'access.lastWorkspace',
  `select u.id as user_id, w.id as workspace_id, m.role, w.statistics_tools
     from users u join members m on m.user_id = u.id and m.workspace_id = u.last_workspace_id
     join workspaces w on w.id = m.workspace_id where u.id = $1`,
);

export type AccessStore = ReturnType<typeof createAccessStore>;

export const createAccessStore = (db: Database) => ({
  lastWorkspace: async (userId: string) => {
    const [row] = await db.query<MemberRow>(lastWorkspace, [userId]);
    if (row === undefined) return undefined;
    const { member, statisticsTools } = toMember(row);
    return { ...member, statisticsTools };
  },
});
