import { DataTypes, type InferAttributes, type InferCreationAttributes, Model } from 'sequelize';
import type { Role } from '#contracts/scopes';
import type { Database } from '#server/store/database';

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export const createWorkspaceStore = (db: Database) => {
  class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
    declare id: string;
    declare email: string;
    declare passwordHash: string;
  }
  User.init(
    { id: { type: DataTypes.TEXT, primaryKey: true }, email: DataTypes.TEXT, passwordHash: DataTypes.TEXT },
    { sequelize: db.sequelize, tableName: 'users', underscored: true, timestamps: false },
  );

  class Workspace extends Model<InferAttributes<Workspace>, InferCreationAttributes<Workspace>> {
    declare id: string;
    declare name: string;
  }
  Workspace.init(
    { id: { type: DataTypes.TEXT, primaryKey: true }, name: DataTypes.TEXT },
    { sequelize: db.sequelize, tableName: 'workspaces', underscored: true, timestamps: false },
  );

  class Member extends Model<InferAttributes<Member>, InferCreationAttributes<Member>> {
    declare workspaceId: string;
    declare userId: string;
    declare role: Role;
  }
  Member.init(
    {
      workspaceId: { type: DataTypes.TEXT, primaryKey: true },
      userId: { type: DataTypes.TEXT, primaryKey: true },
      role: DataTypes.TEXT,
    },
    { sequelize: db.sequelize, tableName: 'members', underscored: true, timestamps: false },
  );

  return {
    transaction: db.transaction,
    /** Two first owners at once: the second waits here and then finds a user. */
    lockSignUp: async () => {
      await db.sequelize.query('select pg_advisory_xact_lock(727003)');
    },
    hasUsers: async () => (await User.findOne({ attributes: ['id'] })) !== null,
    insertUser: async (user: { id: string; email: string; passwordHash: string }) => {
      await User.create(user);
    },
    insertWorkspace: async (workspace: { id: string; name: string }) => {
      await Workspace.create(workspace);
    },
    insertMember: async (member: { workspaceId: string; userId: string; role: Role }) => {
      await Member.create(member);
    },
    removeMember: async (member: { workspaceId: string; userId: string }) => {
      await Member.destroy({ where: member });
    },
    workspaces: async () => (await Workspace.findAll({ order: [['id', 'ASC']] })).map(({ id, name }) => ({ id, name })),
    members: async (workspaceId: string) =>
      (await Member.findAll({ where: { workspaceId } })).map(({ userId, role }) => ({ userId, role })),
  };
};
