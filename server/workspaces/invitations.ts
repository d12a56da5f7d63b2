import { createHash, randomBytes } from 'node:crypto';
import { instantOf } from '#contracts/instant';
import type { Invitation } from '#contracts/people';
import { type Role, roles } from '#contracts/scopes';
import type { AuditLog } from '#server/audit/audit-log';
import { checkEmail, emailKey } from '#server/auth/email-address';
import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import { letter } from '#server/messages/letter';
import type { Messages } from '#server/messages/queue';
import type { Notifications } from '#server/notifications/notifications';
import type { Plans } from '#server/plans/allowance';
import type { Membership } from './membership-end.ts';
import { checkPassword, isWrongPassword, nameOf, type People } from './people.ts';
import { canInvite, lockMembers, mustNotReachAbove } from './rank.ts';
import type { InvitationRow, WorkspaceStore } from './store.ts';

const dayMs = 24 * 60 * 60 * 1000;
const invitationMs = 7 * dayMs;
const hourMs = 60 * 60 * 1000;
/** However often somebody is invited and the invitation withdrawn, by whatever workspace. */
const mostMailsPerHour = 5;
/** For so long after its end an invitation that nobody accepted is still listed. */
const endedInvitationMs = 30 * dayMs;

type Acceptance = { readonly password: string } | { readonly userId: string; readonly email: string };

export type Invitations = ReturnType<typeof createInvitations>;

/** Who is asked to join a workspace. An invitation stands while whoever made it may still give its role. */
export const createInvitations = ({
  store,
  people,
  audit,
  plans,
  publish,
  messages,
  notifications,
  baseUrl,
  clock,
}: {
  store: WorkspaceStore;
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

  /** The invitation behind a secret address, while it works. */
  const usable = async (invitation: InvitationRow | null) => {
    if (invitation === null || new Date(invitation.expiresAt) <= clock.now()) throw noneHere();
    const { workspaceId, invitedBy, role } = invitation;
    const inviter = await store.member(workspaceId, invitedBy);
    if (!canInvite(inviter?.role, role)) throw noneHere();
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
      if (emailKey(by.email) !== emailKey(email)) throw forSomebodyElse(email);
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
    invite: (caller: Caller, { email: typed, role }: { email: string; role: Role }) =>
      store.transaction(async () => {
        const email = checkEmail(typed);
        await lockMembers(store, caller);
        mustNotReachAbove(caller.role, role);
        const members = await store.members(caller.workspaceId);
        if (members.some((member) => emailKey(member.email) === emailKey(email))) {
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
        await publishMember(caller.workspaceId, id);
        const url = `${baseUrl}/invitations/${secret}`;
        const mailed =
          messages.hasMail && (await messages.countRecentTo(email, 'invitation', hourMs)) < mostMailsPerHour;
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
      (await store.openInvitations(workspaceId, bounds.openInvitations)).map(
        ({ workspaceId: _, invitedBy: __, ...invitation }) => invitation,
      ),

    withdraw: (caller: Caller, id: string) =>
      store.transaction(async () => {
        if ((await store.removeInvitation(caller.workspaceId, id)) === 0) throw notFound('invitation', id);
        await record(caller, 'invitation.withdrawn', { id });
        await publishMember(caller.workspaceId, id);
      }),

    /** Those of a person that their new role may not give; all of them when they have left. */
    withdrawBy: async ({ workspaceId, userId }: Membership, inviterRole?: Role) => {
      const lost = roles.filter((role) => !canInvite(inviterRole, role));
      for (const { id, email } of await store.removeInvitationsBy(workspaceId, userId, lost)) {
        await audit.write({ event: 'invitation.withdrawn', workspaceId, details: { id, email, invitedBy: userId } });
        await publishMember(workspaceId, id);
      }
    },

    purge: () => store.purgeInvitations(new Date(clock.now().getTime() - endedInvitationMs)),

    /** What the page of an invitation shows before it is accepted. It does not tell whether somebody has this address. */
    lookAt: async (secret: string) => {
      const { email, role, workspaceId } = await usable(await store.invitation(hashOf(secret)));
      const workspace = await store.workspace(workspaceId);
      return { email, role, workspaceId, workspace: workspace?.name ?? '' };
    },

    accept: (secret: string, by: Acceptance) =>
      store.transaction(async () => {
        const { workspaceId } = await usable(await store.invitation(hashOf(secret)));
        // Locks the workspace, and before the invitation, as its deletion does: the other way round they would deadlock.
        await plans.mayJoin(workspaceId);
        const { id, email, role } = await usable(await store.lockInvitation(hashOf(secret)));
        const userId = await accepting(email, by);
        if ((await store.member(workspaceId, userId)) === null) {
          await store.insertMember({ workspaceId, userId, role });
        }
        await people.openWorkspace(userId, workspaceId);
        await store.acceptInvitation(id, clock.now());
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

const noneHere = () => new Refusal('NotFound', 'This invitation was used, withdrawn or is too old. Ask for a new one.');

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

const hashOf = (secret: string) => createHash('sha256').update(secret).digest();
