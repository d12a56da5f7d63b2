import type { Member } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import { mustBeNamed } from './deletion.ts';
import type { EndMembership } from './membership-end.ts';
import { nameOf } from './people.ts';
import { lockMembers, mustNotReachAbove, rank } from './rank.ts';
import type { Stores } from './stores.ts';

export type Members = ReturnType<typeof createMembers>;

/** Members of a workspace. Nobody can give or change a role above their own. */
export const createMembers = ({
  memberStore,
  workspaceStore,
  audit,
  publish,
  endMembership,
}: Stores & {
  audit: AuditLog;
  publish: Live['publish'];
  endMembership: EndMembership;
}) => {
  const record = (caller: Caller, event: string, details: Record<string, unknown>) =>
    audit.write({ event, workspaceId: caller.workspaceId, userId: caller.userId, details });

  const publishMember = (workspaceId: string, id: string) => publish({ workspaceId, kind: 'member', id });

  const find = async ({ workspaceId }: Caller, userId: string) => {
    const member = await memberStore.member(workspaceId, userId);
    if (member === null) throw notFound('member', userId);
    return member;
  };

  const keepAnOwner = async (workspaceId: string, leaving: string) => {
    const owners = await memberStore.owners(workspaceId);
    if (owners.length === 1 && owners[0]?.userId === leaving) {
      throw new Refusal('Conflict', 'This is the last owner of the workspace. Make somebody else an owner first.');
    }
  };

  return {
    list: async (workspaceId: string): Promise<Member[]> =>
      (await memberStore.members(workspaceId)).map((member) => ({ ...member, name: nameOf(member) })),

    /** Adds or removes a named approver, under the member lock. Owners and admins decide without being named. */
    nameApprover: (caller: Caller, userId: string, approver: boolean) =>
      memberStore.transaction(async (): Promise<Member> => {
        await lockMembers({ memberStore, workspaceStore }, caller);
        const member = await find(caller, userId);
        if (member.role !== 'editor') {
          throw new Refusal(
            'Conflict',
            member.role === 'viewer'
              ? 'A viewer cannot approve. Make this person an editor first.'
              : 'Owners and admins approve without being named.',
          );
        }
        await memberStore.setApprover({ workspaceId: caller.workspaceId, userId }, approver);
        await record(caller, 'member.approver', { userId, approver });
        await publishMember(caller.workspaceId, userId);
        return { ...member, name: nameOf(member), approver };
      }),

    changeRole: (caller: Caller, userId: string, role: Role) =>
      memberStore.transaction(async (): Promise<Member> => {
        await lockMembers({ memberStore, workspaceStore }, caller);
        const member = await find(caller, userId);
        mustNotReachAbove(caller.role, member.role);
        mustNotReachAbove(caller.role, role);
        if (member.role === 'owner' && role !== 'owner') await keepAnOwner(caller.workspaceId, userId);
        const membership = { workspaceId: caller.workspaceId, userId };
        await memberStore.updateMember(membership, role);
        await record(caller, 'member.role', { userId, from: member.role, to: role });
        await endMembership(membership, role);
        await publishMember(caller.workspaceId, userId);
        return { ...(await find(caller, userId)), name: nameOf(member) };
      }),

    /** The other member becomes an owner, and the caller an admin. */
    handOver: (caller: Caller, { userId, name }: { userId: string; name: string }, requestId: string) =>
      memberStore.transaction(async () => {
        const { workspaceId } = caller;
        await lockMembers({ memberStore, workspaceStore }, caller);
        const workspace = await workspaceStore.workspace(workspaceId);
        mustBeNamed(workspace?.name ?? '', name);
        if (userId === caller.userId) {
          throw badInput({ path: 'userId', code: 'Yourself', message: 'must be another member' });
        }
        await find(caller, userId);
        await memberStore.updateMember({ workspaceId, userId }, 'owner');
        await memberStore.updateMember({ workspaceId, userId: caller.userId }, 'admin');
        await audit.write({
          event: 'workspace.handed-over',
          workspaceId,
          userId: caller.userId,
          requestId,
          details: { to: userId },
        });
        await publishMember(workspaceId, userId);
        await endMembership({ workspaceId, userId }, 'owner');
        await endMembership(caller, 'admin');
      }),

    /** Also used by members who leave. */
    remove: (caller: Caller, userId: string) =>
      memberStore.transaction(async () => {
        await lockMembers({ memberStore, workspaceStore }, caller);
        const member = await find(caller, userId);
        if (userId !== caller.userId) {
          if (rank(caller.role) > rank('admin'))
            throw new Refusal('Forbidden', 'Only owners and admins remove others. Ask one of them.');
          mustNotReachAbove(caller.role, member.role);
        }
        if (member.role === 'owner') await keepAnOwner(caller.workspaceId, userId);
        const membership = { workspaceId: caller.workspaceId, userId };
        await memberStore.removeMember(membership);
        await endMembership(membership);
        await publishMember(caller.workspaceId, userId);
        await record(caller, 'member.removed', { userId, email: member.email });
      }),
  };
};
