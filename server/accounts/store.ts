import { type CreationOptional, DataTypes, type InferAttributes, type InferCreationAttributes, Model } from 'sequelize';
import { type Database, sql } from '#server/store/database';

export interface AccountRow {
  readonly id: string;
  readonly network: string;
  readonly name: string;
  readonly handle: string;
  readonly avatarUrl: string | null;
  readonly status: 'Connected' | 'NeedsReconnect';
  readonly grantedScopes: string[];
  readonly connectedAt: string;
}

/** Every draft with accounts asks this one. */
const findNetworks = sql(
  'accounts.networks',
  'select id, network from accounts where workspace_id = $1 and id = any($2) and disconnected_at is null',
);

export type AccountStore = ReturnType<typeof createAccountStore>;

export const createAccountStore = (db: Database) => {
  class Account extends Model<InferAttributes<Account>, InferCreationAttributes<Account>> {
    declare id: string;
    declare workspaceId: string;
    declare network: string;
    declare externalId: string;
    declare name: string;
    declare handle: string;
    declare avatarUrl: CreationOptional<string | null>;
    declare status: CreationOptional<'Connected' | 'NeedsReconnect'>;
    declare grantedScopes: string[];
    declare connectedAt: CreationOptional<string>;
    declare disconnectedAt: CreationOptional<string | null>;
  }
  Account.init(
    {
      id: { type: DataTypes.TEXT, primaryKey: true },
      workspaceId: DataTypes.TEXT,
      network: DataTypes.TEXT,
      externalId: DataTypes.TEXT,
      name: DataTypes.TEXT,
      handle: DataTypes.TEXT,
      avatarUrl: DataTypes.TEXT,
      status: DataTypes.TEXT,
      grantedScopes: DataTypes.ARRAY(DataTypes.TEXT),
      connectedAt: DataTypes.DATE(6),
      disconnectedAt: DataTypes.DATE(6),
    },
    { sequelize: db.sequelize, tableName: 'accounts', underscored: true, timestamps: false },
  );

  return {
    list: async (workspaceId: string): Promise<AccountRow[]> =>
      Account.findAll({ where: { workspaceId, disconnectedAt: null }, order: [['id', 'ASC']] }),

    /** Network by account id, of those that are connected. */
    networks: async (workspaceId: string, ids: readonly string[]) => {
      const rows = await db.query<{ id: string; network: string }>(findNetworks, [workspaceId, ids]);
      return new Map(rows.map((row) => [row.id, row.network]));
    },

    insert: async (account: {
      id: string;
      workspaceId: string;
      network: string;
      externalId: string;
      name: string;
      handle: string;
      grantedScopes: string[];
    }) => {
      await Account.create(account);
    },

    disconnect: async (workspaceId: string, id: string) => {
      const [changed] = await Account.update(
        { disconnectedAt: db.sequelize.fn('posthorn_now') as unknown as string },
        { where: { id, workspaceId, disconnectedAt: null } },
      );
      return changed > 0;
    },
  };
};
