import { randomBytes } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import type { Invitation } from '#contracts/people';
import { type Role, roles } from '#contracts/scopes';
import { dayMs, hourMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import { checkEmail, emailKey } from '#server/access/auth/email-address';
import type { Plans } from '#server/access/plans/plans';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import { sha256 } from '#server/base/sha256';
import { letter } from '#server/messaging/messages/letter';
import type { Messages } from '#server/messaging/messages/messages';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { InvitationRow } from './invitation-store.ts';
import type { Membership } from './membership-end.ts';
import { checkPassword, isWrongPassword, nameOf, type People } from './people.ts';
import { canInvite, lockMembers, mustNotReachAbove } from './rank.ts';
import type { Stores } from './stores.ts';

const invitationMs = 7 * dayMs;
/** Per address and over all workspaces, including withdrawn invitations. */
const maxMailsPerHour = 5;
/** How long an expired invitation stays in the list. */
const endedInvitationMs = 30 * dayMs;

type Acceptance = { readonly password: string } | { readonly userId: string; readonly email: string };

export type Invitations = ReturnType<typeof createInvitations>;

/** Invitations to a workspace. One is valid while the inviter may still give its role. */
export const createInvitations = ({
  invitationStore,
  userStore,
  workspaceStore,
  memberStore,
  people,
  audit,
  plans,
  publish,
  messages,
  notifications,
  baseUrl,
  clock,
}: Stores & {
  people: People;
  audit: AuditLog;
  plans: Plans;
  publish: Live['publish'];
  messages: Messages;
  notifications: Notifications;
  baseUrl: string;
  /** The wall clock. */
  clock: Clock;
}) => {
  const record = (caller: Caller, event: string, details: Record<string, unknown>) =>
    audit.write({ event, workspaceId: caller.workspaceId, userId: caller.userId, details });

  /** A member or an invitation. */
  const publishMember = (workspaceId: string, id: string) => publish({ workspaceId, kind: 'member', id });

  /** Refuses an invitation that is expired, or whose inviter may no longer give its role. */
  const mustBeUsable = async (invitation: InvitationRow | null) => {
    if (invitation === null || new Date(invitation.expiresAt) <= clock.now()) throw invalidInvitation();
    const { workspaceId, invitedBy, role } = invitation;
    const inviter = await memberStore.member(workspaceId, invitedBy);
    if (!canInvite(inviter?.role, role)) throw invalidInvitation();
    return invitation;
  };

  const isNew = async (email: string) => {
    if ((await people.findByEmail(email)).userId !== undefined) return false;
    // The same person may accept an invitation to another workspace concurrently.
    await userStore.lockSignUp();
    return (await people.findByEmail(email)).userId === undefined;
  };

  /** A new person chooses a password, an existing user enters theirs, a signed-in user needs none. */
  const userAccepting = async (email: string, by: Acceptance) => {
    if ('userId' in by) {
      if (emailKey(by.email) !== emailKey(email)) throw forSomebodyElse(email);
      return by.userId;
    }
    // Before the account is looked up, so that the answer does not reveal whether it exists.
    checkPassword(by.password, 'password');
    return (await isNew(email))
      ? people.addPerson(email, by.password)
      : people.signIn(email, by.password).catch(adviseReset);
  };

  const invitationMail = async ({ userId, workspaceId }: Caller, to: string, role: Role, url: string) => {
    const [inviter, workspace] = [await userStore.user(userId), await workspaceStore.workspace(workspaceId)];
    const who = inviter ? nameOf(inviter) : 'An admin';
    const where = workspace?.name ?? 'a workspace';
    const content = {
      subject: `${who} invites you to ${where} on Posthorn`,
      lines: [`${who} invites you to join ${where} as ${role}.`, 'The link works once, within 7 days.'],
      link: { label: 'Look at the invitation', url },
      foot: `Sent by Posthorn at ${baseUrl}. If you do not know what this is about, do nothing.`,
    };
    return { purpose: 'invitation' as const, livesMs: invitationMs, mail: { to, ...letter(content) } };
  };

  return {
    invite: (caller: Caller, { email: typed, role }: { email: string; role: Role }) =>
      invitationStore.transaction(async () => {
        const email = checkEmail(typed);
        await lockMembers({ memberStore, workspaceStore }, caller);
        mustNotReachAbove(caller.role, role);
        const members = await memberStore.members(caller.workspaceId);
        if (members.some((member) => emailKey(member.email) === emailKey(email))) {
          throw new Refusal('Conflict', `${email} is already a member. Change their role in the list of members.`);
        }
        await plans.mayJoin(caller.workspaceId);
        const open = await invitationStore.countInvitations(caller.workspaceId, clock.now());
        if (open >= bounds.openInvitations) {
          throw new Refusal('Conflict', `${open} invitations are open. Withdraw one, or wait until one is accepted.`);
        }
        const secret = randomBytes(24).toString('base64url');
        const createdAt = clock.now();
        const expiresAt = new Date(createdAt.getTime() + invitationMs);
        const id = newId('invitation', createdAt);
        await invitationStore.insertInvitation({
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
        await publishMember(caller.workspaceId, id);
        const url = `${baseUrl}/invitations/${secret}`;
        const mailed =
          messages.hasMail && (await messages.countRecentTo(email, 'invitation', hourMs)) < maxMailsPerHour;
        if (mailed) await messages.add([await invitationMail(caller, email, role, url)]);
        return {
          id,
          email,
          role,
          createdAt: instantOf(createdAt),
          expiresAt: instantOf(expiresAt),
          url,
          mailed,
        };
      }),

    list: async (workspaceId: string): Promise<Invitation[]> =>
      (await invitationStore.openInvitations(workspaceId, bounds.openInvitations)).map(
        ({ workspaceId: _, invitedBy: __, ...invitation }) => invitation,
      ),

    withdraw: (caller: Caller, id: string) =>
      invitationStore.transaction(async () => {
        if ((await invitationStore.removeInvitation(caller.workspaceId, id)) === 0) throw notFound('invitation', id);
        await record(caller, 'invitation.withdrawn', { id });
        await publishMember(caller.workspaceId, id);
      }),

    /** Withdraws invitations that the inviter's new role may not give; all of them when the inviter has left. */
    withdrawBy: async ({ workspaceId, userId }: Membership, inviterRole?: Role) => {
      const lost = roles.filter((role) => !canInvite(inviterRole, role));
      for (const { id, email } of await invitationStore.removeInvitationsBy(workspaceId, userId, lost)) {
        await audit.write({ event: 'invitation.withdrawn', workspaceId, details: { id, email, invitedBy: userId } });
        await publishMember(workspaceId, id);
      }
    },

    purge: () => invitationStore.purgeInvitations(new Date(clock.now().getTime() - endedInvitationMs)),

    /** For the invitation page. Does not reveal whether the address has an account. */
    lookAt: async (secret: string) => {
      const { email, role, workspaceId } = await mustBeUsable(await invitationStore.invitation(hashOf(secret)));
      const workspace = await workspaceStore.workspace(workspaceId);
      return { email, role, workspaceId, workspace: workspace?.name ?? '' };
    },

    accept: (secret: string, by: Acceptance, name = '') =>
      invitationStore.transaction(async () => {
        const { workspaceId } = await mustBeUsable(await invitationStore.invitation(hashOf(secret)));
        // Locks the workspace before the invitation, in the same order as its deletion, to avoid a deadlock.
        await plans.mayJoin(workspaceId);
        const { id, email, role } = await mustBeUsable(await invitationStore.lockInvitation(hashOf(secret)));
        const userId = await userAccepting(email, by);
        if (name !== '' && !(await userStore.user(userId))?.name) await userStore.setProfile(userId, { name });
        if ((await memberStore.member(workspaceId, userId)) === null) {
          await memberStore.insertMember({ workspaceId, userId, role });
        }
        await people.openWorkspace(userId, workspaceId);
        await invitationStore.acceptInvitation(id, clock.now());
        await publishMember(workspaceId, userId);
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

const invalidInvitation = () =>
  new Refusal('NotFound', 'This invitation was used, withdrawn or is too old. Ask for a new one.');

/**
 * An account does not prove ownership of its address: somebody else may have accepted an invitation to it and chosen the
 * password. An invitation cannot tell the two people apart, so the operator has to help.
 */
const adviseReset = (error: unknown): never => {
  if (!isWrongPassword(error)) throw error;
  throw new Refusal(
    'Unauthorized',
    'E-mail address or password is wrong. If you have never chosen one here, or lost it, ask the operator for a link (npx posthorn link --email with your address), set a password, then open this invitation again.',
  );
};

const forSomebodyElse = (email: string) =>
  new Refusal('Forbidden', `This invitation is for ${email}. Sign in with that address to accept it.`);

const hashOf = (secret: string) => sha256(secret);
