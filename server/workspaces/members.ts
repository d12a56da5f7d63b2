import { createHash, randomBytes } from 'node:crypto';
import type { Invitation, Member } from '#contracts/app';
import { instantOf } from '#contracts/instant';
import { type Role, roles } from '#contracts/scopes';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Plans } from '#server/plans/plans';
import type { People } from './people.ts';
import type { WorkspaceStore } from './store.ts';

const invitationMs = 7 * 24 * 60 * 60 * 1000;

export type Members = ReturnType<typeof createMembers>;

/** Who is in a workspace, and who is invited. Nobody hands out or takes away more than they have. */
export const createMembers = ({
  store,
  people,
  audit,
  plans,
  baseUrl,
  clock,
}: {
  store: WorkspaceStore;
  people: People;
  audit: AuditLog;
  plans: Plans;
  baseUrl: string;
  clock: Clock;
}) => {
  const record = (caller: Caller, event: string, details: Record<string, unknown>) =>
    audit.write({ event, workspaceId: caller.workspaceId, userId: caller.userId, details });

  const find = async ({ workspaceId }: Caller, userId: string) => {
    const member = await store.member(workspaceId, userId);
    if (member === null) throw notFound('member', userId);
    return member;
  };

  const keepAnOwner = async (workspaceId: string, leaving: string) => {
    const owners = await store.lockOwners(workspaceId);
    if (owners.length === 1 && owners[0]?.userId === leaving) {
      throw new Refusal('Conflict', 'This is the last owner of the workspace. Make somebody else an owner first.');
    }
  };

  /** The invitation behind a secret address, while it works. */
  const usable = (invitation: Awaited<ReturnType<WorkspaceStore['invitation']>>) => {
    if (invitation === null || new Date(invitation.expiresAt) <= clock.now()) {
      throw new Refusal('NotFound', 'This invitation was used, withdrawn or is too old. Ask for a new one.');
    }
    return invitation;
  };

  return {
    list: async (workspaceId: string): Promise<Member[]> =>
      (await store.members(workspaceId)).map(({ userId, role, createdAt, User }) => ({
        userId,
        email: User?.email ?? '',
        role,
        joinedAt: createdAt,
      })),

    changeRole: (caller: Caller, userId: string, role: Role) =>
      store.transaction(async (): Promise<Member> => {
        const member = await find(caller, userId);
        mustNotReachAbove(caller.role, member.role);
        mustNotReachAbove(caller.role, role);
        if (member.role === 'owner' && role !== 'owner') await keepAnOwner(caller.workspaceId, userId);
        await store.updateMember({ workspaceId: caller.workspaceId, userId }, role);
        await record(caller, 'member.role', { userId, from: member.role, to: role });
        return { userId, email: member.User?.email ?? '', role, joinedAt: member.createdAt };
      }),

    /** Also how somebody leaves. */
    remove: (caller: Caller, userId: string) =>
      store.transaction(async () => {
        const member = await find(caller, userId);
        if (userId !== caller.userId) {
          if (rank(caller.role) > rank('admin'))
            throw new Refusal('Forbidden', 'Only owners and admins remove others.');
          mustNotReachAbove(caller.role, member.role);
        }
        if (member.role === 'owner') await keepAnOwner(caller.workspaceId, userId);
        await store.removeMember({ workspaceId: caller.workspaceId, userId });
        await record(caller, 'member.removed', { userId });
      }),

    invite: (caller: Caller, { email, role }: { email: string; role: Role }) =>
      store.transaction(async () => {
        mustNotReachAbove(caller.role, role);
        const members = await store.members(caller.workspaceId);
        if (members.some(({ User }) => User?.email.toLowerCase() === email.trim().toLowerCase())) {
          throw new Refusal('Conflict', `${email} is a member already.`);
        }
        await plans.mayJoin(caller.workspaceId);
        const secret = randomBytes(24).toString('base64url');
        const createdAt = clock.now();
        const expiresAt = new Date(createdAt.getTime() + invitationMs);
        const id = newId('invitation', createdAt);
        await store.insertInvitation({
          id,
          workspaceId: caller.workspaceId,
          email: email.trim(),
          role,
          hash: hashOf(secret),
          invitedBy: caller.userId,
          createdAt,
          expiresAt,
        });
        await record(caller, 'member.invited', { email, role });
        const url = `${baseUrl}/invitations/${secret}`;
        return {
          id,
          email: email.trim(),
          role,
          createdAt: instantOf(createdAt),
          expiresAt: instantOf(expiresAt),
          url,
        };
      }),

    invitations: async (workspaceId: string): Promise<Invitation[]> =>
      (await store.openInvitations(workspaceId)).map(({ id, email, role, createdAt, expiresAt }) => ({
        id,
        email,
        role,
        createdAt: String(createdAt),
        expiresAt: String(expiresAt),
      })),

    withdraw: async ({ workspaceId }: Caller, id: string) => {
      if ((await store.removeInvitation(workspaceId, id)) === 0) throw notFound('invitation', id);
    },

    /** What the page of an invitation shows before it is accepted. */
    lookAt: async (secret: string) => {
      const { email, role, workspaceId } = usable(await store.invitation(hashOf(secret)));
      const workspace = await store.workspace(workspaceId);
      return { email, role, workspace: workspace?.name ?? '', isKnown: (await store.userByEmail(email)) !== null };
    },

    /** Somebody new chooses the password, somebody known gives theirs. */
    accept: (secret: string, password: string) =>
      store.transaction(async () => {
        const { id, email, role, workspaceId } = usable(await store.lockInvitation(hashOf(secret)));
        await plans.mayJoin(workspaceId);
        const known = await store.userByEmail(email);
        let userId: string;
        if (known === null) ({ userId } = await people.addMember(workspaceId, { email, password, role }));
        else {
          userId = await people.signIn(email, password);
          if ((await store.member(workspaceId, userId)) === null) {
            await store.insertMember({ workspaceId, userId, role });
          }
          await people.openWorkspace(userId, workspaceId);
        }
        await store.acceptInvitation(id, clock.now());
        await audit.write({ event: 'member.joined', workspaceId, userId, details: { role } });
        return userId;
      }),
  };
};

/** 0 is the highest. */
const rank = (role: Role) => roles.indexOf(role);

const mustNotReachAbove = (own: Role, other: Role) => {
  if (rank(other) < rank(own)) throw new Refusal('Forbidden', `An ${own} cannot give or change the role ${other}.`);
};

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
