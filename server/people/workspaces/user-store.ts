import type { ProfileChange, Theme } from '#contracts/people';
import type { Publishers, Role } from '#contracts/scopes';
import type { Right } from '#server/access/auth/right';
import { wakes } from '#server/base/jobs/due-work';
import { canPublish } from '#server/base/store/can-publish';
import { type Database, type Described, sql } from '#server/base/store/database';
import { hasSecondFactor, lacksFactor } from '#server/base/store/has-second-factor';
import { personName } from '#server/base/store/person-name';

export const reads = ['passkeys'];

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

const user = `select id, email, password_hash as "passwordHash", last_workspace_id as "lastWorkspaceId", subject, name,
  time_zone as "timeZone", theme, shortcuts, is_operator as "isOperator" from users`;
const firstUser = sql('users.first', `${user} order by id limit 1`);
const userById = sql('users.byId', `${user} where id = $1`);
const lockUser = sql('users.lock', `${user} where id = $1 for update`, 'locks');
const userByEmail = sql('users.byEmail', `${user} where lower(email) = $1`);
const userBySubject = sql('users.bySubject', `${user} where subject = $1`);
const operator = sql('users.operator', `${user} where is_operator order by id limit 1`);
const lockSignUp = sql('users.lockSignUp', 'select pg_advisory_xact_lock(727003)', 'locks');
const insertUser = sql(
  'users.insert',
  'insert into users (id, email, password_hash, subject, is_operator) values ($1, $2, $3, $4, $5)',
);
const setLastWorkspace = sql('users.setLastWorkspace', 'update users set last_workspace_id = $2 where id = $1');
const forgetLastWorkspace = sql(
  'users.forgetLastWorkspace',
  'update users set last_workspace_id = null where id = $1 and last_workspace_id = $2',
);
const linkUser = sql('users.link', 'update users set subject = $2, password_hash = null where id = $1');
const setPassword = sql(
  'users.setPassword',
  'update users set password_hash = $2, tokens_valid_after = $3 where id = $1',
);
const distrustTokens = sql('users.distrustTokens', 'update users set tokens_valid_after = $2 where id = $1');
const setProfile = sql(
  'users.setProfile',
  `update users set name = coalesce($2, name), time_zone = coalesce($3, time_zone), theme = coalesce($4, theme),
     shortcuts = coalesce($5, shortcuts) where id = $1`,
);

const hasFactor = sql('users.hasFactor', `select ${hasSecondFactor('$1')} as has`);
const hasPasskey = sql('users.hasPasskey', 'select exists (select from passkeys where user_id = $1) as has');

/** Nobody can register the domain, and no sign-in accepts the address without a password. */
const anonymize = sql(
  'users.anonymize',
  `update users set email = 'former-' || id || '@deleted.invalid', name = 'A former member', password_hash = null,
          subject = null, last_workspace_id = null, tokens_valid_after = $2 where id = $1`,
);

export interface UserSummary {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly operator: boolean;
  readonly hasPassword: boolean;
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: Role }[];
}

const everybody = sql(
  'users.everybody',
  `select u.id, u.email, u.name, u.is_operator as operator, u.password_hash is not null as "hasPassword",
          coalesce((select json_agg(json_build_object('id', w.id, 'name', w.name, 'role', m.role) order by w.id)
             from members m join workspaces w on w.id = m.workspace_id where m.user_id = u.id), '[]') as workspaces
     from users u where u.email not like '%@deleted.invalid' order by u.id`,
);

export interface WorkspaceChange {
  readonly name?: string | undefined;
  readonly statisticsTools?: boolean | undefined;
  readonly publishers?: Publishers | undefined;
  readonly approvalPasskey?: boolean | undefined;
  readonly twoFactors?: boolean | undefined;
}

export interface WorkspaceRow {
  readonly id: string;
  readonly name: string;
  readonly statisticsTools: boolean;
  readonly publishers: Publishers;
  readonly approvalPasskey: boolean;
  readonly twoFactors: boolean;
  readonly deleteAt: string | null;
  readonly deleteAskedBy: string | null;
}

const workspaceColumns = `w.id, w.name, w.statistics_tools as "statisticsTools", w.publishers, w.approval_passkey as "approvalPasskey",
  w.two_factors as "twoFactors",  w.delete_at as "deleteAt", w.delete_asked_by as "deleteAskedBy"`;
const workspace = `select ${workspaceColumns} from workspaces w`;
const workspaces = sql('workspaces.all', `${workspace} order by id`);
const workspaceById = sql('workspaces.byId', `${workspace} where id = $1`);
/** Not `for update`: inserts into the workspace hold a key lock on this row, and two of them would deadlock. */
const lockWorkspace = sql('workspaces.lock', `${workspace} where id = $1 for no key update`, 'locks');
const dueWorkspaces = sql('workspaces.due', `${workspace} where delete_at <= $1 order by id`);
const insertWorkspace = sql('workspaces.insert', 'insert into workspaces (id, name) values ($1, $2)');
const changeWorkspace = sql(
  'workspaces.change',
  `update workspaces set name = coalesce($2, name), statistics_tools = coalesce($3, statistics_tools),
     publishers = coalesce($4, publishers), approval_passkey = coalesce($5, approval_passkey),
     two_factors = coalesce($6, two_factors) where id = $1`,
);
const setDeletion = sql(
  'workspaces.setDeletion',
  'update workspaces set delete_at = $2, delete_asked_by = $3 where id = $1',
);
const removeWorkspace = sql('workspaces.remove', 'delete from workspaces where id = $1 and delete_at <= $2');
const setPlan = sql('workspaces.setPlan', 'update workspaces set plan = $2 where id = $1');
/** For posts and sends that became due while publishing was stopped. */
const wakePublishing = sql('workspaces.wakePublishing', `select ${wakes('posts')}, ${wakes('sends')}`);

export interface MembershipRow extends WorkspaceRow {
  readonly role: Role;
  readonly canPublish: boolean;
  readonly lacksFactor: boolean;
}

export interface MemberRow {
  readonly userId: string;
  readonly role: Role;
  readonly approver: boolean;
  readonly hasFactor: boolean;
  readonly joinedAt: string;
  readonly email: string;
  readonly name: string | null;
}

const memberships = sql(
  'members.ofUser',
  `select ${workspaceColumns}, m.role, ${canPublish('m', 'w')} as "canPublish", ${lacksFactor('m', 'w')} as "lacksFactor"
     from members m join workspaces w on w.id = m.workspace_id
    where m.user_id = $1 order by w.id`,
);
const memberOf = `select m.user_id as "userId", m.role, m.is_approver as approver,
  ${hasSecondFactor('m.user_id')} as "hasFactor", m.created_at as "joinedAt", u.email, u.name
  from members m join users u on u.id = m.user_id where m.workspace_id = $1`;
const members = sql('members.ofWorkspace', `${memberOf} order by m.created_at`);
const member = sql('members.one', `${memberOf} and m.user_id = $2`);
const owners = sql(
  'members.owners',
  `select user_id as "userId" from members where workspace_id = $1 and role = 'owner'`,
);
const insertMember = sql('members.insert', 'insert into members (workspace_id, user_id, role) values ($1, $2, $3)');
/** Only an editor who stays an editor remains a named approver. Coming from another role, they must be named again. */
const setRole = sql(
  'members.setRole',
  `update members set role = $3, is_approver = $3 = 'editor' and role = 'editor' and is_approver
    where workspace_id = $1 and user_id = $2`,
);
const setApprover = sql(
  'members.setApprover',
  'update members set is_approver = $3 where workspace_id = $1 and user_id = $2',
);
const approvers = sql(
  'members.approvers',
  `select m.user_id as id, ${personName('u')} as name from members m join workspaces w on w.id = m.workspace_id
     join users u on u.id = m.user_id
    where m.workspace_id = $1 and ${canPublish('m', 'w')} order by m.created_at, m.user_id`,
);
/** Always in the same order, so that two changes do not deadlock. */
const lockMembers = sql(
  'members.lock',
  'select from members where workspace_id = $1 order by user_id for no key update',
  'locks',
);
const removeMember = sql('members.remove', 'delete from members where workspace_id = $1 and user_id = $2');

export interface InvitationRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly invitedBy: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

interface NewInvitation extends Omit<InvitationRow, 'createdAt' | 'expiresAt'> {
  readonly hash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const openInvitation = `select id, workspace_id as "workspaceId", email, role, invited_by as "invitedBy",
  created_at as "createdAt", expires_at as "expiresAt" from invitations where accepted_at is null`;
const openInvitations = sql('invitations.open', `${openInvitation} and workspace_id = $1 order by id desc limit $2`);
const countInvitations = sql(
  'invitations.count',
  `select count(*)::int from invitations where workspace_id = $1 and accepted_at is null and expires_at > $2`,
);
const purgeInvitations = sql('invitations.purge', 'delete from invitations where expires_at < $1');
const invitation = sql('invitations.byHash', `${openInvitation} and hash = $1`);
const lockInvitation = sql('invitations.lock', `${openInvitation} and hash = $1 for update`, 'locks');
const invited = sql('invitations.ofEmail', `${openInvitation} and lower(email) = $1 and expires_at > $2 limit 1`);
const insertInvitation = sql(
  'invitations.insert',
  `insert into invitations (id, workspace_id, email, role, hash, invited_by, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8)`,
);
const acceptInvitation = sql('invitations.accept', 'update invitations set accepted_at = $2 where id = $1');
const removeInvitation = sql(
  'invitations.remove',
  'delete from invitations where workspace_id = $1 and id = $2 and accepted_at is null',
);

const removeInvitationsBy = sql(
  'invitations.removeBy',
  `delete from invitations where workspace_id = $1 and invited_by = $2 and role = any($3) and accepted_at is null
   returning id, email`,
);

export type WorkspaceStore = ReturnType<typeof createWorkspaceStore>;

export const createWorkspaceStore = (db: Database) => {
  const one = async <Row>(statement: Described<Row>, values?: readonly unknown[]) =>
    (await db.query<Row>(statement, values))[0] ?? null;
  return {
    transaction: db.transaction,

    /** Serializes sign-ups: of two concurrent first owners, the second waits here and then finds a user. */
    lockSignUp: () => db.run(lockSignUp),

    anonymize: (id: string, at: Date) => db.run(anonymize, [id, at]),
    everybody: () => db.query<UserSummary>(everybody),
    firstUser: () => one<UserRow>(firstUser),
    user: (id: string) => one<UserRow>(userById, [id]),
    lockUser: (id: string) => one<UserRow>(lockUser, [id]),
    userByEmail: (email: string) => one<UserRow>(userByEmail, [email.toLowerCase()]),
    userBySubject: (subject: string) => one<UserRow>(userBySubject, [subject]),
    operator: () => one<UserRow>(operator),
    insertUser: (row: {
      id: string;
      email: string;
      passwordHash?: string | null;
      subject?: string;
      isOperator: boolean;
    }) => db.run(insertUser, [row.id, row.email, row.passwordHash ?? null, row.subject ?? null, row.isOperator]),
    setLastWorkspace: (id: string, workspaceId: string) => db.run(setLastWorkspace, [id, workspaceId]),
    /** Returns whether this workspace was the last opened one. */
    forgetLastWorkspace: async (id: string, workspaceId: string) =>
      (await db.run(forgetLastWorkspace, [id, workspaceId])) > 0,
    /** Removes the password, because an outside provider signs this person in. */
    linkUser: (id: string, subject: string) => db.run(linkUser, [id, subject]),
    setPassword: (id: string, hash: string, tokensValidAfter: Date) =>
      db.run(setPassword, [id, hash, tokensValidAfter]),
    distrustTokens: (id: string, before: Date) => db.run(distrustTokens, [id, before]),
    setProfile: (id: string, { name, timeZone, theme, shortcuts }: ProfileChange) =>
      db.run(setProfile, [id, name ?? null, timeZone ?? null, theme ?? null, shortcuts ?? null]),

    workspaces: () => db.query<WorkspaceRow>(workspaces),
    workspace: (id: string) => one<WorkspaceRow>(workspaceById, [id]),
    insertWorkspace: ({ id, name }: { id: string; name: string }) => db.run(insertWorkspace, [id, name]),
    changeWorkspace: ({ workspaceId }: Right, change: WorkspaceChange) =>
      db.run(changeWorkspace, [
        workspaceId,
        change.name ?? null,
        change.statisticsTools ?? null,
        change.publishers ?? null,
        change.approvalPasskey ?? null,
        change.twoFactors ?? null,
      ]),
    hasFactor: async (userId: string) => (await one<{ has: boolean }>(hasFactor, [userId]))?.has === true,
    hasPasskey: async (userId: string) => (await one<{ has: boolean }>(hasPasskey, [userId]))?.has === true,
    setDeletion: (id: string, deletion: { at: Date; askedBy: string } | null) =>
      db.run(setDeletion, [id, deletion?.at ?? null, deletion?.askedBy ?? null]),
    /** Locks the workspace and its members until the transaction ends. Must precede any lock on an invitation. */
    lockWorkspace: (id: string) => one<WorkspaceRow>(lockWorkspace, [id]),
    dueWorkspaces: (now: Date) => db.query<WorkspaceRow>(dueWorkspaces, [now]),
    /** Deletes the workspace with everything in it, if it is due. */
    removeWorkspace: (id: string, now: Date) => db.run(removeWorkspace, [id, now]),
    wakePublishing: () => db.run(wakePublishing),
    setPlan: async (id: string, plan: string) => (await db.run(setPlan, [id, plan])) > 0,

    memberships: (userId: string) => db.query<MembershipRow>(memberships, [userId]),
    members: (workspaceId: string) => db.query<MemberRow>(members, [workspaceId]),
    member: (workspaceId: string, userId: string) => one<MemberRow>(member, [workspaceId, userId]),
    owners: (workspaceId: string) => db.query<{ userId: string }>(owners, [workspaceId]),
    insertMember: ({ workspaceId, userId, role }: { workspaceId: string; userId: string; role: Role }) =>
      db.run(insertMember, [workspaceId, userId, role]),
    updateMember: ({ workspaceId, userId }: { workspaceId: string; userId: string }, role: Role) =>
      db.run(setRole, [workspaceId, userId, role]),
    setApprover: ({ workspaceId, userId }: { workspaceId: string; userId: string }, isApprover: boolean) =>
      db.run(setApprover, [workspaceId, userId, isApprover]),
    approvers: (workspaceId: string) => db.query<{ id: string; name: string }>(approvers, [workspaceId]),
    /** Before the workspace: transactions that locked a right go on to lock the workspace. */
    lockMembers: (workspaceId: string) => db.run(lockMembers, [workspaceId]),
    removeMember: ({ workspaceId, userId }: { workspaceId: string; userId: string }) =>
      db.run(removeMember, [workspaceId, userId]),

    insertInvitation: (row: NewInvitation) => {
      const { id, workspaceId, email, role, hash, invitedBy, createdAt, expiresAt } = row;
      return db.run(insertInvitation, [id, workspaceId, email, role, hash, invitedBy, createdAt, expiresAt]);
    },
    /** Includes expired ones until they are purged. */
    openInvitations: (workspaceId: string, limit: number) =>
      db.query<InvitationRow>(openInvitations, [workspaceId, limit]),
    countInvitations: async (workspaceId: string, now: Date) =>
      (await one<{ count: number }>(countInvitations, [workspaceId, now]))?.count ?? 0,
    purgeInvitations: (before: Date) => db.run(purgeInvitations, [before]),
    lockInvitation: (hash: Buffer) => one<InvitationRow>(lockInvitation, [hash]),
    invitation: (hash: Buffer) => one<InvitationRow>(invitation, [hash]),
    isInvited: async (email: string, now: Date) => (await db.query(invited, [email.toLowerCase(), now])).length > 0,
    acceptInvitation: (id: string, at: Date) => db.run(acceptInvitation, [id, at]),
    removeInvitation: (workspaceId: string, id: string) => db.run(removeInvitation, [workspaceId, id]),
    removeInvitationsBy: (workspaceId: string, invitedBy: string, roles: readonly Role[]) =>
      db.query<{ id: string; email: string }>(removeInvitationsBy, [workspaceId, invitedBy, roles]),
  };
};
