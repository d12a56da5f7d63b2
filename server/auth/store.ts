import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from 'sequelize';
import type { Role } from '#contracts/scopes';
import { type Database, sql } from '#server/store/database';

/** Every request asks this one, so it is a prepared statement. */
const findMember = sql(
  'tokens.find',
  `select t.id as token_id, t.user_id, t.workspace_id, m.role
     from personal_tokens t join members m on m.workspace_id = t.workspace_id and m.user_id = t.user_id
    where t.hash = $1 and t.revoked_at is null`,
);

const saveLastUsed = sql(
  'tokens.saveLastUsed',
  `update personal_tokens t set last_used_at = used.at
     from unnest($1::text[], $2::timestamptz[]) as used (id, at) where t.id = used.id`,
);

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
      const [row] = await db.query<{ token_id: string; user_id: string; workspace_id: string; role: Role }>(
        findMember,
        [hash],
      );
      return (
        row && {
          tokenId: row.token_id,
          member: { userId: row.user_id, workspaceId: row.workspace_id, role: row.role },
        }
      );
    },

    list: async (owner: { userId: string; workspaceId: string }) => {
      const tokens = await PersonalToken.findAll({ where: { ...owner, revokedAt: null }, order: [['id', 'DESC']] });
      return tokens.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }));
    },

    revoke: async (id: string) => {
      const [changed] = await PersonalToken.update(
        { revokedAt: db.sequelize.fn('posthorn_now') as unknown as string },
        { where: { id, revokedAt: null } },
      );
      return changed > 0;
    },

    saveLastUsed: async (used: [id: string, at: Date][]) => {
      await db.query(saveLastUsed, [used.map(([id]) => id), used.map(([, at]) => at)]);
    },
  };
};
