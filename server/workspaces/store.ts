import {
  type CreationOptional,
  DataTypes,
  type InferAttributes,
  type InferCreationAttributes,
  Model,
  type NonAttribute,
  Op,
} from 'sequelize';
import type { Theme } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import { wakes } from '#server/jobs/notices';
import { type Database, sql } from '#server/store/database';

export interface Profile {
  readonly name: string | null;
  readonly timeZone: string;
  readonly theme: Theme;
  readonly shortcuts: boolean;
}

export interface UserRow extends Profile {
  readonly id: string;
  readonly email: string;
  readonly passwordHash: string | null;
  readonly lastWorkspaceId: string | null;
  readonly subject: string | null;
  readonly isOperator: boolean;
}

export interface WorkspaceRow {
  readonly deleteAt: string | Date | null;
  readonly deleteAskedBy: string | null;
}

/** What was due while nothing was published. */
const wakePosts = sql('workspaces.wakePosts', `select ${wakes('posts')}`);

export interface Somebody {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly operator: boolean;
  readonly hasPassword: boolean;
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
  readonly sessions: number;
  readonly lastSeenAt: string | null;
}

const everybody = sql(
  'users.everybody',
  `select u.id, u.email, u.name, u.is_operator as operator, u.password_hash is not null as "hasPassword",
          coalesce((select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.id)
             from members m join workspaces w on w.id = m.workspace_id where m.user_id = u.id), '[]') as workspaces,
          (select count(*)::int from sessions s where s.user_id = u.id) as sessions,
          (select max(s.last_seen_at) from sessions s where s.user_id = u.id) as "lastSeenAt"
     from users u order by u.id`,
);

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export const createWorkspaceStore = (db: Database) => {
  const { sequelize } = db;
  const table = (tableName: string) => ({ sequelize, tableName, underscored: true, timestamps: false });
  // A new object each time: Sequelize writes into it.
  const key = () => ({ type: DataTypes.TEXT, primaryKey: true });

  class User extends Model<InferAttributes<User>, InferCreationAttributes<User>> {
    declare id: string;
    declare email: string;
    declare passwordHash: CreationOptional<string | null>;
    declare lastWorkspaceId: CreationOptional<string | null>;
    declare tokensValidAfter: CreationOptional<string | Date>;
    declare subject: CreationOptional<string | null>;
    declare name: CreationOptional<string | null>;
    declare timeZone: CreationOptional<string>;
    declare theme: CreationOptional<Theme>;
    declare shortcuts: CreationOptional<boolean>;
    declare isOperator: CreationOptional<boolean>;
  }
  User.init(
    {
      id: key(),
      email: DataTypes.TEXT,
      passwordHash: DataTypes.TEXT,
      lastWorkspaceId: DataTypes.TEXT,
      tokensValidAfter: DataTypes.DATE(6),
      subject: DataTypes.TEXT,
      name: DataTypes.TEXT,
      timeZone: DataTypes.TEXT,
      theme: DataTypes.TEXT,
      shortcuts: DataTypes.BOOLEAN,
      isOperator: DataTypes.BOOLEAN,
    },
    table('users'),
  );

  class Workspace extends Model<InferAttributes<Workspace>, InferCreationAttributes<Workspace>> {
    declare id: string;
    declare name: string;
    declare statisticsTools: CreationOptional<boolean>;
    declare plan: CreationOptional<string>;
    declare deleteAt: CreationOptional<string | Date | null>;
    declare deleteAskedBy: CreationOptional<string | null>;
  }
  Workspace.init(
    {
      id: key(),
      name: DataTypes.TEXT,
      statisticsTools: DataTypes.BOOLEAN,
      plan: DataTypes.TEXT,
      deleteAt: DataTypes.DATE(6),
      deleteAskedBy: DataTypes.TEXT,
    },
    table('workspaces'),
  );

  class Member extends Model<InferAttributes<Member>, InferCreationAttributes<Member>> {
    declare workspaceId: string;
    declare userId: string;
    declare role: Role;
    declare createdAt: CreationOptional<string>;
    declare User?: NonAttribute<User>;
    declare Workspace?: NonAttribute<Workspace>;
  }
  Member.init(
    { workspaceId: key(), userId: key(), role: DataTypes.TEXT, createdAt: DataTypes.DATE(6) },
    table('members'),
  );
  Member.belongsTo(User, { foreignKey: 'userId' });
  Member.belongsTo(Workspace, { foreignKey: 'workspaceId' });

  class Invitation extends Model<InferAttributes<Invitation>, InferCreationAttributes<Invitation>> {
    declare id: string;
    declare workspaceId: string;
    declare email: string;
    declare role: Role;
    declare hash: Buffer;
    declare invitedBy: string;
    declare createdAt: string | Date;
    declare expiresAt: string | Date;
    declare acceptedAt: CreationOptional<string | Date | null>;
  }
  Invitation.init(
    {
      id: key(),
      workspaceId: DataTypes.TEXT,
      email: DataTypes.TEXT,
      role: DataTypes.TEXT,
      hash: DataTypes.BLOB,
      invitedBy: DataTypes.TEXT,
      createdAt: DataTypes.DATE(6),
      expiresAt: DataTypes.DATE(6),
      acceptedAt: DataTypes.DATE(6),
    },
    table('invitations'),
  );

  const byEmail = (email: string) =>
    sequelize.where(sequelize.fn('lower', sequelize.col('email')), email.toLowerCase());

  return {
    transaction: db.transaction,

    /** Two first owners at once: the second waits here and then finds a user. */
    lockSignUp: async () => {
      await sequelize.query('select pg_advisory_xact_lock(727003)');
    },

    everybody: () => db.query<Somebody>(everybody),
    hasUsers: async () => (await User.findOne({ attributes: ['id'] })) !== null,
    firstUser: () => User.findOne({ order: [['id', 'ASC']] }),
    user: (id: string) => User.findByPk(id),
    /** In a transaction. */
    lockUser: (id: string) => User.findByPk(id, { lock: true }),
    userByEmail: (email: string) => User.findOne({ where: byEmail(email) }),
    userBySubject: (subject: string) => User.findOne({ where: { subject } }),
    operator: () => User.findOne({ where: { isOperator: true }, order: [['id', 'ASC']] }),
    insertUser: async (user: {
      id: string;
      email: string;
      passwordHash?: string | null;
      subject?: string;
      isOperator?: boolean;
    }) => {
      await User.create(user);
    },
    updateUser: async (
      id: string,
      change: Partial<Pick<User, 'passwordHash' | 'lastWorkspaceId' | 'tokensValidAfter' | 'subject' | keyof Profile>>,
    ) => {
      if (Object.keys(change).length > 0) await User.update(change, { where: { id } });
    },

    workspaces: () => Workspace.findAll({ order: [['id', 'ASC']] }),
    workspace: (id: string) => Workspace.findByPk(id),
    insertWorkspace: async (workspace: { id: string; name: string }) => {
      await Workspace.create(workspace);
    },
    updateWorkspace: async (
      id: string,
      change: Partial<Pick<Workspace, 'name' | 'statisticsTools' | 'deleteAt' | 'deleteAskedBy'>>,
    ) => {
      if (Object.keys(change).length > 0) await Workspace.update(change, { where: { id } });
    },
    /** In a transaction: nobody else changes it until it ends. */
    lockWorkspace: (id: string) => Workspace.findByPk(id, { lock: true }),
    dueWorkspaces: (now: Date) => Workspace.findAll({ where: { deleteAt: { [Op.lte]: now } }, order: [['id', 'ASC']] }),
    /** With everything in it, if its time has come. */
    removeWorkspace: (id: string, now: Date) => Workspace.destroy({ where: { id, deleteAt: { [Op.lte]: now } } }),
    wakePosts: () => db.run(wakePosts),

    setPlan: async (id: string, plan: string) => (await Workspace.update({ plan }, { where: { id } }))[0] > 0,

    memberships: (userId: string) =>
      Member.findAll({ where: { userId }, include: Workspace, order: [['workspaceId', 'ASC']] }),
    members: (workspaceId: string) =>
      Member.findAll({ where: { workspaceId }, include: User, order: [['createdAt', 'ASC']] }),
    member: (workspaceId: string, userId: string) => Member.findOne({ where: { workspaceId, userId }, include: User }),
    /** In a transaction: nobody else changes the owners of this workspace until it ends. */
    lockOwners: (workspaceId: string) =>
      Member.findAll({ where: { workspaceId, role: 'owner' }, order: [['userId', 'ASC']], lock: true }),
    insertMember: async (member: { workspaceId: string; userId: string; role: Role }) => {
      await Member.create(member);
    },
    updateMember: async (member: { workspaceId: string; userId: string }, role: Role) => {
      await Member.update({ role }, { where: member });
    },
    removeMember: (member: { workspaceId: string; userId: string }) => Member.destroy({ where: member }),

    insertInvitation: async (invitation: Omit<InferCreationAttributes<Invitation>, 'acceptedAt'>) => {
      await Invitation.create(invitation);
    },
    /** Also those that have run out, until they are purged. */
    openInvitations: (workspaceId: string, limit: number) =>
      Invitation.findAll({ where: { workspaceId, acceptedAt: null }, order: [['id', 'DESC']], limit }),
    countInvitations: (workspaceId: string, now: Date) =>
      Invitation.count({ where: { workspaceId, acceptedAt: null, expiresAt: { [Op.gt]: now } } }),
    purgeInvitations: (before: Date) => Invitation.destroy({ where: { expiresAt: { [Op.lt]: before } } }),
    /** In a transaction: an invitation is accepted once. */
    lockInvitation: (hash: Buffer) => Invitation.findOne({ where: { hash, acceptedAt: null }, lock: true }),
    invitation: (hash: Buffer) => Invitation.findOne({ where: { hash, acceptedAt: null } }),
    isInvited: async (email: string, now: Date) =>
      (await Invitation.findOne({
        where: { [Op.and]: [byEmail(email), { acceptedAt: null, expiresAt: { [Op.gt]: now } }] },
      })) !== null,
    acceptInvitation: async (id: string, acceptedAt: Date) => {
      await Invitation.update({ acceptedAt }, { where: { id } });
    },
    removeInvitation: (workspaceId: string, id: string) =>
      Invitation.destroy({ where: { workspaceId, id, acceptedAt: null } }),
  };
};
