import type { Publishers, Role } from '#contracts/scopes';
import { canPublish } from '#server/base/store/can-publish';
import { type Database, sql } from '#server/base/store/database';
import { hasSecondFactor, lacksFactor } from '#server/base/store/has-second-factor';
import { personName } from '#server/base/store/person-name';
import { workspaceColumns } from './workspace-columns.ts';

const memberships = sql(
  'members.ofUser',
  `select ${workspaceColumns}, m.role, ${canPublish('m', 'w')} as can_publish, ${lacksFactor('m', 'w')} as lacks_factor
     from members m join workspaces w on w.id = m.workspace_id
    where m.user_id = $1 order by w.id`,
).holds<{ publishers: Publishers; role: Role }>();
const memberOf = `select m.user_id, m.role, m.is_approver as approver,
  ${hasSecondFactor('m.user_id')} as has_factor, m.created_at as joined_at, u.email, u.name
  from members m join users u on u.id = m.user_id where m.workspace_id = $1`;
const members = sql('members.ofWorkspace', `${memberOf} order by m.created_at`).holds<{ role: Role }>();
const member = sql('members.one', `${memberOf} and m.user_id = $2`).holds<{ role: Role }>();
const owners = sql('members.owners', `select user_id from members where workspace_id = $1 and role = 'owner'`);
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

export type MemberStore = ReturnType<typeof createMemberStore>;

export const createMemberStore = (db: Database) => ({
  transaction: db.transaction,

  memberships: (userId: string) => db.query(memberships, [userId]),
  members: (workspaceId: string) => db.query(members, [workspaceId]),
  member: async (workspaceId: string, userId: string) => (await db.query(member, [workspaceId, userId]))[0] ?? null,
  owners: (workspaceId: string) => db.query(owners, [workspaceId]),
  insertMember: ({ workspaceId, userId, role }: { workspaceId: string; userId: string; role: Role }) =>
    db.run(insertMember, [workspaceId, userId, role]),
  updateMember: ({ workspaceId, userId }: { workspaceId: string; userId: string }, role: Role) =>
    db.run(setRole, [workspaceId, userId, role]),
  setApprover: ({ workspaceId, userId }: { workspaceId: string; userId: string }, isApprover: boolean) =>
    db.run(setApprover, [workspaceId, userId, isApprover]),
  approvers: (workspaceId: string) => db.query(approvers, [workspaceId]),
  /** Before the workspace: transactions that locked a right go on to lock the workspace. */
  lockMembers: (workspaceId: string) => db.run(lockMembers, [workspaceId]),
  removeMember: ({ workspaceId, userId }: { workspaceId: string; userId: string }) =>
    db.run(removeMember, [workspaceId, userId]),
});
