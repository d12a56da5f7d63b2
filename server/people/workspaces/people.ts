import type { ProfileChange, SessionRecord } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import type { AuditLog } from '#server/access/audit/audit-log';
import { checkEmail, emailKey } from '#server/access/auth/email-address';
import type { OutsidePerson } from '#server/access/auth/identity-provider/identity';
import { hashPassword, isPassword, passwordLength } from '#server/access/auth/passwords';
import type { Claim, Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import type { NewWorkspaces } from '#server/base/config/config';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Stores } from './stores.ts';
import type { UserRow } from './user-store.ts';
import type { WorkspaceChange, WorkspaceRow } from './workspace-store.ts';

export type People = ReturnType<typeof createPeople>;

/** Users, their sign-in, and their workspaces. */
export const createPeople = ({
  userStore,
  workspaceStore,
  memberStore,
  invitationStore,
  rights,
  audit,
  plans,
  newWorkspaces,
  revokeAllAccess,
  endClients,
  accessChanged,
  workspaceChanged,
  lastNews,
  clock,
}: Stores & {
  rights: Rights;
  audit: AuditLog;
  plans: Pick<Plans, 'mustExist'>;
  newWorkspaces: NewWorkspaces;
  /** Ends every session, token and client of a user. */
  revokeAllAccess: (userId: string) => Promise<void>;
  endClients: (userId: string) => Promise<void>;
  /** Called when it changed what agents may see or do in a workspace. */
  accessChanged: () => Promise<void>;
  /** Makes open tabs read the session again. */
  workspaceChanged: (workspaceId: string) => Promise<void>;
  /** The id of the latest live event. */
  lastNews: () => string;
  clock: Clock;
}) => {
  const addUser = async (email: string, password: string | undefined, isOperator = false) => {
    const id = newId('user', clock.now());
    const passwordHash = password === undefined ? null : await hashPassword(checkPassword(password, 'password'));
    await userStore.insertUser({ id, email: checkEmail(email), passwordHash, isOperator });
    return id;
  };

  const addWorkspace = async (userId: string, name: string) => {
    const workspaceId = newId('workspace', clock.now());
    await workspaceStore.insertWorkspace({ id: workspaceId, name });
    await memberStore.insertMember({ workspaceId, userId, role: 'owner' });
    await userStore.setLastWorkspace(userId, workspaceId);
    await audit.write({ event: 'workspace.created', workspaceId, userId, details: { name } });
    return workspaceId;
  };

  /** Called under the sign-up lock, so that only one user becomes the first. */
  const addFirst = async (workspace: string, add: () => Promise<string>) => {
    const userId = await add();
    const workspaceId = await addWorkspace(userId, workspace);
    await audit.write({ event: 'owner.first', workspaceId, userId });
    return { userId, workspaceId };
  };

  /** `workspaceId` is the one that is open in this browser. */
  const session = async ({
    userId,
    workspaceId: openId,
    byLink = false,
  }: {
    userId: string;
    workspaceId: string | undefined;
    byLink?: boolean | undefined;
  }): Promise<SessionRecord> => {
    // Read first, so that changes from now on are delivered again rather than missed.
    const liveFrom = lastNews();
    const user = await mustExist(userId);
    const memberships = await memberStore.memberships(userId);
    const open = memberships.find(({ id }) => id === openId);
    return {
      user: {
        id: user.id,
        email: user.email,
        name: nameOf(user),
        timeZone: user.timeZone,
        theme: user.theme,
        shortcuts: user.shortcuts,
        operator: user.isOperator,
        hasPassword: user.passwordHash !== null,
        asksPassword: user.passwordHash !== null && !byLink,
        hasPasskey: await userStore.hasPasskey(userId),
        hasFactor: await userStore.hasFactor(userId),
        mayMakeWorkspaces: canCreateWorkspaces(user, memberships),
      },
      ...(open && {
        workspace: {
          id: open.id,
          name: open.name,
          role: open.role,
          statisticsTools: open.statisticsTools,
          publishers: open.publishers,
          approvalPasskey: open.approvalPasskey,
          twoFactors: open.twoFactors,
          lacksFactor: open.lacksFactor,
          canPublish: open.canPublish,
          ...(await deletionOf(open)),
        },
      }),
      workspaces: memberships.map(({ id, name, role }) => ({ id, name, role })),
      liveFrom,
    };
  };

  const deletionOf = async ({ deleteAt, deleteAskedBy }: WorkspaceRow) => {
    if (deleteAt === null) return {};
    const owner = deleteAskedBy === null ? null : await userStore.user(deleteAskedBy);
    return { deletion: { at: deleteAt, askedBy: owner ? nameOf(owner) : '' } };
  };

  const mustExist = async (userId: string) => {
    const user = await userStore.user(userId);
    if (user === null) throw notFound('user', userId);
    return user;
  };

  const canCreateWorkspaces = ({ isOperator }: UserRow, memberships: readonly { role: Role }[]) =>
    isOperator ||
    newWorkspaces === 'everyone' ||
    (newWorkspaces === 'admins' && memberships.some(({ role }) => role === 'owner' || role === 'admin'));

  /**
   * The account was created by an invitation or on this machine, which does not prove ownership of the address. From now on
   * it belongs to the person whom the provider vouches for, and all access issued before is revoked.
   */
  const link = async (user: UserRow, subject: string) => {
    await userStore.linkUser(user.id, subject);
    await revokeAllAccess(user.id);
    const workspaceId = user.lastWorkspaceId ?? undefined;
    await audit.write({ event: 'account.linked', workspaceId, userId: user.id, details: { email: user.email } });
    return user.id;
  };

  return {
    session,

    /** The first owner with a workspace; only while nobody has signed up. */
    setUp: (
      { email, password, workspace }: { email: string; password?: string | undefined; workspace: string },
      { mayBeFirst = async () => true }: { mayBeFirst?: () => Promise<boolean> } = {},
    ) =>
      userStore.transaction(async () => {
        await userStore.lockSignUp();
        if ((await userStore.firstUser()) !== null) {
          throw new Refusal(
            'Forbidden',
            'Posthorn is set up already: a user exists. New people join by invitation; the operator gets in with posthorn link.',
          );
        }
        if (!(await mayBeFirst())) throw needsCode();
        return addFirst(workspace, () => addUser(email, password, true));
      }),

    isEmpty: async () => (await userStore.firstUser()) === null,

    /** Whom to ask about this server. */
    operatorName: async () => {
      const operator = await userStore.operator();
      return operator === null ? '' : nameOf(operator);
    },

    /** On a fresh installation, the first user without a password, or no user yet. They may sign in by a link. */
    awaitsFirstPassword: async () => {
      const first = await userStore.firstUser();
      return first === null || (first.passwordHash === null && first.subject === null)
        ? { userId: first?.id }
        : undefined;
    },

    /** The person with this address, or the one who set the installation up. */
    forLink: async (email?: string) => {
      const user = email === undefined ? await userStore.operator() : await userStore.userByEmail(emailKey(email));
      if (user === null) {
        throw email === undefined
          ? new Refusal('NotFound', 'Nobody is here yet. Run posthorn setup first.')
          : new Refusal(
              'NotFound',
              `Nobody here has the address ${email}. Run posthorn user list to see who there is.`,
            );
      }
      return { userId: user.id, email: user.email };
    },

    isOperator: async (userId: string) => (await mustExist(userId)).isOperator,

    mustBeOperator: async (userId: string, does: string) => {
      if (!(await mustExist(userId)).isOperator) {
        throw new Refusal('Forbidden', `Only the person who set Posthorn up here ${does}; or use the command line.`);
      }
    },

    /** The workspace in which MCP clients act. */
    openedLast: async (userId: string) => {
      const { lastWorkspaceId } = await mustExist(userId);
      const last = (await memberStore.memberships(userId)).find(({ id }) => id === lastWorkspaceId);
      if (last === undefined) return undefined;
      const { id, name, role, canPublish, lacksFactor } = last;
      return { id, name, role, canPublish, lacksFactor };
    },

    hasPassword: async (userId: string) => (await mustExist(userId)).passwordHash !== null,

    lastWorkspace: async (userId: string) => (await mustExist(userId)).lastWorkspaceId ?? undefined,

    /** The user with this address and their workspace. Proves nothing about who is asking. */
    findByEmail: async (email: string) => {
      const user = await userStore.userByEmail(emailKey(email));
      return { userId: user?.id, workspaceId: user?.lastWorkspaceId ?? undefined };
    },

    /** A wrong password and an unknown address take the same time and get the same answer. */
    signIn: async (email: string, password: string) => {
      const user = await userStore.userByEmail(emailKey(email));
      const isCorrect = await isPassword(user?.passwordHash ?? (await dummyHash()), password);
      if (user === null || user.passwordHash === null || !isCorrect) throw wrongPassword();
      return user.id;
    },

    /**
     * Finds the user by subject, else by an address that the provider vouches for. Creates one for an invited address, or
     * for the first owner.
     */
    signInAs: ({ subject, email }: OutsidePerson, { mayBeFirst }: { mayBeFirst: () => Promise<boolean> }) =>
      userStore.transaction(async () => {
        await userStore.lockSignUp();
        const bySubject = await userStore.userBySubject(subject);
        if (bySubject !== null) return bySubject.id;
        if (email === undefined) {
          throw signInRefused('NoAddress', 'Your identity provider does not vouch for an e-mail address of yours.');
        }
        const byEmail = await userStore.userByEmail(emailKey(email));
        if (byEmail !== null && byEmail.subject === null) return link(byEmail, subject);
        const add = async (isOperator: boolean) => {
          const id = newId('user', clock.now());
          await userStore.insertUser({ id, email: checkEmail(email), subject, isOperator });
          return id;
        };
        if (byEmail === null && (await userStore.firstUser()) === null) {
          if (!(await mayBeFirst())) throw needsCode();
          return (await addFirst('My workspace', () => add(true))).userId;
        }
        if (byEmail === null && (await invitationStore.isInvited(emailKey(email), clock.now()))) return add(false);
        throw signInRefused('NotInvited', `${email} is not a member here. Ask an admin for an invitation.`);
      }),

    changeProfile: async (userId: string, change: ProfileChange) => {
      if (change.timeZone) mustBeTimeZone(change.timeZone);
      await userStore.setProfile(userId, change);
    },

    /** `current` is not required without a password, or after sign-in by a one-time link. */
    changePassword: async (userId: string, next: string, current: string | undefined) => {
      const { passwordHash } = await mustExist(userId);
      if (passwordHash !== null && current !== undefined && !(await isPassword(passwordHash, current))) {
        throw badInput({ path: 'current', code: 'WrongPassword', message: 'is not your current password' });
      }
      await userStore.setPassword(userId, await hashPassword(checkPassword(next, 'next')), clock.now());
    },

    distrustTokens: async (userId: string) => {
      await userStore.distrustTokens(userId, clock.now());
    },

    createWorkspace: (userId: string, name: string) =>
      userStore.transaction(async () => {
        // Serialized, so that concurrent requests cannot exceed the limit.
        await userStore.lockUser(userId);
        const memberships = await memberStore.memberships(userId);
        if (!canCreateWorkspaces(await mustExist(userId), memberships)) {
          throw new Refusal('Forbidden', creationRefusals[newWorkspaces === 'operator' ? 'operator' : 'admins']);
        }
        const owned = memberships.filter(({ role }) => role === 'owner').length;
        if (owned >= bounds.workspaces) {
          throw new Refusal('Conflict', `You own ${owned} workspaces. Delete one or hand one over to make another.`);
        }
        return addWorkspace(userId, name);
      }),

    /** MCP clients act in the workspace that was opened last. */
    openWorkspace: async (userId: string, workspaceId: string) => {
      if ((await memberStore.member(workspaceId, userId)) === null) throw notFound('workspace', workspaceId);
      await userStore.setLastWorkspace(userId, workspaceId);
    },

    /** When somebody leaves a workspace. MCP clients act in the last opened one, so those in another workspace keep working. */
    endClientsIn: async ({ userId, workspaceId }: { userId: string; workspaceId: string }) => {
      if (await userStore.forgetLastWorkspace(userId, workspaceId)) await endClients(userId);
    },

    /** Whether the change switches off a protection against stolen sessions. */
    isLowered: async (workspaceId: string, { approvalPasskey, twoFactors }: WorkspaceChange) => {
      const before = await workspaceStore.workspace(workspaceId);
      return (
        (approvalPasskey === false && before?.approvalPasskey === true) ||
        (twoFactors === false && before?.twoFactors === true)
      );
    },

    changeWorkspace: (caller: Claim, change: WorkspaceChange) =>
      userStore.transaction(async () => {
        const by = await rights.mustHold(caller);
        const { workspaceId: id, userId } = by;
        if (change.approvalPasskey && !(await userStore.hasPasskey(userId))) {
          throw new Refusal('Conflict', 'You have no passkey yourself. Add one in your profile, then switch this on.');
        }
        if (change.twoFactors && !(await userStore.hasFactor(userId))) {
          throw new Refusal(
            'Conflict',
            'You have no second factor yourself. Set one up in your profile, then switch this on.',
          );
        }
        await workspaceStore.changeWorkspace(by, change);
        if (change.statisticsTools !== undefined || change.twoFactors !== undefined) await accessChanged();
        await workspaceChanged(id);
      }),

    /** A member of the workspace, and whether all that they can reach belongs to this owner. */
    ownedBy: async (ownerId: string, workspaceId: string, userId: string) => {
      const member = await memberStore.member(workspaceId, userId);
      if (member === null) return undefined;
      const owned = (await memberStore.memberships(ownerId)).filter(({ role }) => role === 'owner').map(({ id }) => id);
      const isWhollyOwned =
        !(await mustExist(userId)).isOperator &&
        (await memberStore.memberships(userId)).every(({ id }) => owned.includes(id));
      return { email: member.email, isWhollyOwned };
    },

    /** Members who may publish and decide. The one who joined first comes first. */
    approvers: memberStore.approvers,

    /** Whether approving requires a passkey in this workspace. */
    asksPasskey: async (workspaceId: string) => (await workspaceStore.workspace(workspaceId))?.approvalPasskey === true,

    /** Called by the operator. */
    setPlan: async (workspaceId: string, plan: string) => {
      plans.mustExist(plan);
      if (!(await workspaceStore.setPlan(workspaceId, plan))) throw notFound('workspace', workspaceId);
    },

    addPerson: (email: string, password: string) => addUser(email, password),

    addMember: (
      workspaceId: string,
      { email, password, role }: { email: string; password?: string | undefined; role: Role },
    ) =>
      userStore.transaction(async () => {
        const userId = await addUser(email, password);
        await memberStore.insertMember({ workspaceId, userId, role });
        await userStore.setLastWorkspace(userId, workspaceId);
        return { userId, workspaceId };
      }),

    workspaceName: async (id: string) => (await workspaceStore.workspace(id))?.name ?? '',

    workspaces: async () => (await workspaceStore.workspaces()).map(({ id, name }) => ({ id, name })),
  };
};

const creationRefusals = {
  admins: 'Only owners and admins of a workspace make another one. Ask one of them.',
  operator: 'Only the person who set Posthorn up makes workspaces here. Ask them.',
};

/** The sign-in page has its own text for each code. */
const signInRefused = (code: 'NoAddress' | 'NotInvited' | 'NeedsCode', message: string) =>
  new Refusal('Forbidden', message, [{ path: '', code, message }]);

const needsCode = () =>
  signInRefused(
    'NeedsCode',
    'The first owner needs the code that Posthorn printed when it started. Type it in, or run posthorn setup on the server.',
  );

export const nameOf = ({ name, email }: { name: string | null; email: string }) => name || (email.split('@')[0] ?? '');

const wrongPassword = () => new Refusal('Unauthorized', 'E-mail address or password is wrong.');

/** Whether the refusal is about the password. */
export const isWrongPassword = (error: unknown) =>
  error instanceof Refusal && (error.code === 'Unauthorized' || error.issues[0]?.code === 'WrongPassword');

/** Compared against for an unknown user, so that the answer takes the same time. */
const dummyHash = () => {
  cachedDummyHash ??= hashPassword('nobody has this password');
  return cachedDummyHash;
};
let cachedDummyHash: Promise<string> | undefined;

const mustBeTimeZone = (timeZone: string) => {
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    throw badInput({
      path: 'timeZone',
      code: 'UnknownTimeZone',
      message: 'must be an IANA name, such as Europe/Berlin',
    });
  }
};

export const checkPassword = (password: string, path: string) => {
  const { min, max } = passwordLength;
  if (password.length < min || password.length > max) {
    throw badInput({
      path,
      code: password.length < min ? 'TooSmall' : 'TooBig',
      message: `must have ${min} to ${max} characters`,
    });
  }
  return password;
};
