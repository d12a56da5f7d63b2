import { createHash, randomBytes } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import type { Invitation, Member } from '#contracts/people';
import { type Role, roles } from '#contracts/scopes';
import type { AuditLog } from '#server/audit/audit-log';
import { asAccount, checkEmail } from '#server/auth/email-address';
import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import { letter } from '#server/messages/letter';
import type { Messages } from '#server/messages/queue';
import type { Notifications } from '#server/notifications/notifications';
import type { Plans } from '#server/plans/allowance';
import { mustBeNamed } from './deletion.ts';
import { checkPassword, isWrongPassword, nameOf, type People } from './people.ts';
import type { WorkspaceStore } from './store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const invitationMs = 7 * dayMs;
/** For so long after its end an invitation that nobody accepted is still listed. */
const endedInvitationMs = 30 * dayMs;

type Acceptance = { readonly password: string } | { readonly userId: string; readonly email: string };

export type Members = ReturnType<typeof createMembers>;

/** Who is in a workspace, and who is invited. Nobody can give or change a role above their own. */
export const createMembers = ({
  store,
  people,
  audit,
  plans,
  accessChanged,
  tell,
  endTokens,
  messages,
  notifications,
  baseUrl,
  clock,
}: {
  store: WorkspaceStore;
  people: People;
  audit: AuditLog;
  plans: Plans;
  /** What is open for this user may have to be closed. */
  accessChanged: (userId: string) => Promise<void>;
  tell: Live['tell'];
  /** Those for this workspace; joining again does not bring them back. */
  endTokens: (of: { userId: string; workspaceId: string }) => Promise<unknown>;
  messages: Messages;
  notifications: Notifications;
  baseUrl: string;
  /** The wall clock. */
  clock: Clock;
}) => {
  const record = (caller: Caller, event: string, details: Record<string, unknown>) =>
    audit.write({ event, workspaceId: caller.workspaceId, userId: caller.userId, details });

  /** A member or an invitation. */
  const tellTabs = (workspaceId: string, id: string) => tell({ workspaceId, kind: 'member', id });

  const find = async ({ workspaceId }: Caller, userId: string) => {
    const member = await store.member(workspaceId, userId);
    if (member === null) throw notFound('member', userId);
    return member;
  };

  /** One change of members after the other, by somebody who still has the role that they came with. */
  const changing = async ({ workspaceId, userId, role }: Caller) => {
    await store.lockWorkspace(workspaceId);
    if ((await store.member(workspaceId, userId))?.role === role) return;
    throw new Refusal('Conflict', 'Your role in this workspace has changed meanwhile. Load the page again.');
  };

  const keepAnOwner = async (workspaceId: string, leaving: string) => {
    const owners = await store.owners(workspaceId);
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

  const isNew = async (email: string) => {
    if ((await people.known(email)).userId !== undefined) return false;
    // They may accept the invitation of another workspace at the same moment.
    await store.lockSignUp();
    return (await people.known(email)).userId === undefined;
  };

  /** Somebody new chooses the password, somebody known gives theirs, somebody signed in gives none. */
  const accepting = async (email: string, by: Acceptance) => {
    if ('userId' in by) {
      if (asAccount(by.email) !== asAccount(email)) throw forSomebodyElse(email);
      return by.userId;
    }
    // An invalid password is refused the same way, whether or not there is an account.
    checkPassword(by.password, 'password');
    return (await isNew(email))
      ? people.addPerson(email, by.password)
      : people.signIn(email, by.password).catch(wayOut);
  };

  const invitationMail = async ({ userId, workspaceId }: Caller, to: string, role: Role, url: string) => {
    const [inviter, workspace] = [await store.user(userId), await store.workspace(workspaceId)];
    const who = inviter ? nameOf(inviter) : 'An admin';
    const where = workspace?.name ?? 'a workspace';
    const words = {
      subject: `${who} invites you to ${where} on Posthorn`,
      lines: [`${who} invites you to join ${where} as ${role}.`, 'The link works once, within 7 days.'],
      link: { label: 'Look at the invitation', url },
      foot: `Sent by Posthorn at ${baseUrl}. If you do not know what this is about, do nothing.`,
    };
    return { purpose: 'invitation' as const, livesMs: invitationMs, mail: { to, ...letter(words) } };
  };

  return {
    list: async (workspaceId: string): Promise<Member[]> =>
      (await store.members(workspaceId)).map((member) => ({ ...member, name: nameOf(member) })),

    changeRole: (caller: Caller, userId: string, role: Role) =>
      store.transaction(async (): Promise<Member> => {
        await changing(caller);
        const member = await find(caller, userId);
        mustNotReachAbove(caller.role, member.role);
        mustNotReachAbove(caller.role, role);
        if (member.role === 'owner' && role !== 'owner') await keepAnOwner(caller.workspaceId, userId);
        await store.updateMember({ workspaceId: caller.workspaceId, userId }, role);
        await record(caller, 'member.role', { userId, from: member.role, to: role });
        await accessChanged(userId);
        await tellTabs(caller.workspaceId, userId);
        return { ...member, name: nameOf(member), role };
      }),

    /** The other one becomes an owner, and the one who hands over an admin. */
    handOver: (caller: Caller, { userId, name }: { userId: string; name: string }, requestId: string) =>
      store.transaction(async () => {
        const { workspaceId } = caller;
        await changing(caller);
        const workspace = await store.workspace(workspaceId);
        mustBeNamed(workspace?.name ?? '', name);
        if (userId === caller.userId) {
          throw badInput({ path: 'userId', code: 'Yourself', message: 'must be another member' });
        }
        await find(caller, userId);
        await store.updateMember({ workspaceId, userId }, 'owner');
        await store.updateMember({ workspaceId, userId: caller.userId }, 'admin');
        await audit.write({
          event: 'workspace.handed-over',
          workspaceId,
          userId: caller.userId,
          requestId,
          details: { to: userId },
        });
        await tellTabs(workspaceId, userId);
        await accessChanged(userId);
        await accessChanged(caller.userId);
      }),

    /** Also used by members who leave. */
    remove: (caller: Caller, userId: string) =>
      store.transaction(async () => {
        await changing(caller);
        const member = await find(caller, userId);
        if (userId !== caller.userId) {
          if (rank(caller.role) > rank('admin'))
            throw new Refusal('Forbidden', 'Only owners and admins remove others. Ask one of them.');
          mustNotReachAbove(caller.role, member.role);
        }
        if (member.role === 'owner') await keepAnOwner(caller.workspaceId, userId);
        await store.removeMember({ workspaceId: caller.workspaceId, userId });
        await endTokens({ workspaceId: caller.workspaceId, userId });
        await accessChanged(userId);
        await tellTabs(caller.workspaceId, userId);
        await record(caller, 'member.removed', { userId, email: member.email });
      }),

    invite: (caller: Caller, { email: typed, role }: { email: string; role: Role }) =>
      store.transaction(async () => {
        const email = checkEmail(typed);
        await changing(caller);
        mustNotReachAbove(caller.role, role);
        const members = await store.members(caller.workspaceId);
        if (members.some((member) => asAccount(member.email) === asAccount(email))) {
          throw new Refusal('Conflict', `${email} is already a member. Change their role in the list of members.`);
        }
        await plans.mayJoin(caller.workspaceId);
        const open = await store.countInvitations(caller.workspaceId, clock.now());
        if (open >= bounds.openInvitations) {
          throw new Refusal('Conflict', `${open} invitations are open. Withdraw one, or wait until one is accepted.`);
        }
        const secret = randomBytes(24).toString('base64url');
        const createdAt = clock.now();
        const expiresAt = new Date(createdAt.getTime() + invitationMs);
        const id = newId('invitation', createdAt);
        await store.insertInvitation({
          id,
          workspaceId: caller.workspaceId,
          email,
          role,
          hash: hashOf(secret),
          invitedBy: caller.userId,
          createdAt,
          expiresAt,
        });
        await record(caller, 'member.invited', { email, role });
        await tellTabs(caller.workspaceId, id);
        const url = `${baseUrl}/invitations/${secret}`;
        await messages.add([await invitationMail(caller, email, role, url)]);
        return {
          id,
          email,
          role,
          createdAt: instantOf(createdAt),
          expiresAt: instantOf(expiresAt),
          url,
          mailed: messages.hasMail,
        };
      }),

    invitations: async (workspaceId: string): Promise<Invitation[]> =>
      (await store.openInvitations(workspaceId, bounds.openInvitations)).map(
        ({ workspaceId: _, ...invitation }) => invitation,
      ),

    withdraw: (caller: Caller, id: string) =>
      store.transaction(async () => {
        if ((await store.removeInvitation(caller.workspaceId, id)) === 0) throw notFound('invitation', id);
        await record(caller, 'invitation.withdrawn', { id });
        await tellTabs(caller.workspaceId, id);
      }),

    purgeInvitations: () => store.purgeInvitations(new Date(clock.now().getTime() - endedInvitationMs)),

    /** What the page of an invitation shows before it is accepted. It does not tell whether somebody has this address. */
    lookAt: async (secret: string) => {
      const { email, role, workspaceId } = usable(await store.invitation(hashOf(secret)));
      const workspace = await store.workspace(workspaceId);
      return { email, role, workspaceId, workspace: workspace?.name ?? '' };
    },

    accept: (secret: string, by: Acceptance) =>
      store.transaction(async () => {
        const { workspaceId } = usable(await store.invitation(hashOf(secret)));
        // Locks the workspace, and before the invitation, as its deletion does: the other way round they would deadlock.
        await plans.mayJoin(workspaceId);
        const { id, email, role } = usable(await store.lockInvitation(hashOf(secret)));
        const userId = await accepting(email, by);
        if ((await store.member(workspaceId, userId)) === null) {
          await store.insertMember({ workspaceId, userId, role });
        }
        await people.openWorkspace(userId, workspaceId);
        await store.acceptInvitation(id, clock.now());
        await tellTabs(workspaceId, userId);
        await audit.write({ event: 'member.joined', workspaceId, userId, details: { role } });
        await notifications.tell([
          {
            workspaceId,
            kind: 'member.joined',
            subjectId: userId,
            title: `${email} joined the workspace`,
            detail: `They accepted their invitation, as ${role}.`,
            path: '/settings/workspace',
            by: userId,
          },
        ]);
        return userId;
      }),
  };
};

/**
 * An account proves nothing about its address: somebody else may have accepted an invitation to it and chosen the
 * password. Nothing that an invitation says can tell the two apart, so that the operator has to.
 */
const wayOut = (error: unknown): never => {
  if (!isWrongPassword(error)) throw error;
  throw new Refusal(
    'Unauthorized',
    'E-mail address or password is wrong. If you have never chosen one here, or lost it, ask the operator for a link (npx posthorn link --email with your address), set a password, then open this invitation again.',
  );
};

const forSomebodyElse = (email: string) =>
  new Refusal('Forbidden', `This invitation is for ${email}. Sign in with that address to accept it.`);

/** 0 is the highest. */
const rank = (role: Role) => roles.indexOf(role);

const mustNotReachAbove = (own: Role, other: Role) => {
  if (rank(other) < rank(own))
    throw new Refusal('Forbidden', `An ${own} cannot give or change the role ${other}. Ask an owner.`);
};

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
