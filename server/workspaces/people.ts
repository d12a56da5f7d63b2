import type { ProfileChange, SessionRecord } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import type { AuditLog } from '#server/audit/audit-log';
import { checkEmail, emailKey } from '#server/auth/email-address';
import type { OutsidePerson } from '#server/auth/identity-provider/identity';
import { hashPassword, isPassword, passwordLength } from '#server/auth/passwords';
import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import type { NewWorkspaces } from '#server/config/config';
import { badInput, notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Plans } from '#server/plans/allowance';
import type { UserRow, WorkspaceRow, WorkspaceStore } from './store.ts';

export type People = ReturnType<typeof createPeople>;

/** Who can sign in, and which workspaces they are in. */
export const createPeople = ({
  store,
  audit,
  plans,
  newWorkspaces,
  forgetEverything,
  endClients,
  accessChanged,
  lastNews,
  clock,
}: {
  store: WorkspaceStore;
  audit: AuditLog;
  plans: Pick<Plans, 'mustExist'>;
  newWorkspaces: NewWorkspaces;
  /** Ends every session, token and client of a user. */
  forgetEverything: (userId: string) => Promise<void>;
  endClients: (userId: string) => Promise<void>;
  /** What agents may see or do changed in a workspace. */
  accessChanged: () => Promise<void>;
  /** The id of what open tabs were told last. */
  lastNews: () => string;
  clock: Clock;
}) => {
  const addUser = async (email: string, password: string | undefined, isOperator = false) => {
    const id = newId('user', clock.now());
    const passwordHash = password === undefined ? null : await hashPassword(checkPassword(password, 'password'));
    await store.insertUser({ id, email: checkEmail(email), passwordHash, isOperator });
    return id;
  };

  const addWorkspace = async (userId: string, name: string) => {
    const workspaceId = newId('workspace', clock.now());
    await store.insertWorkspace({ id: workspaceId, name });
    await store.insertMember({ workspaceId, userId, role: 'owner' });
    await store.setLastWorkspace(userId, workspaceId);
    await audit.write({ event: 'workspace.created', workspaceId, userId, details: { name } });
    return workspaceId;
  };

  /** Under the lock that lets only one be the first. */
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
    // Before anything is read: what changes from now on is told again rather than missed.
    const liveFrom = lastNews();
    const user = await mustExist(userId);
    const memberships = await store.memberships(userId);
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
        mayMakeWorkspaces: mayMake(user, memberships),
      },
      ...(open && {
        workspace: {
          id: open.id,
          name: open.name,
          role: open.role,
          statisticsTools: open.statisticsTools,
          ...(await deletionOf(open)),
        },
      }),
      workspaces: memberships.map(({ id, name, role }) => ({ id, name, role })),
      liveFrom,
    };
  };

  const deletionOf = async ({ deleteAt, deleteAskedBy }: WorkspaceRow) => {
    if (deleteAt === null) return {};
    const owner = deleteAskedBy === null ? null : await store.user(deleteAskedBy);
    return { deletion: { at: deleteAt, askedBy: owner ? nameOf(owner) : '' } };
  };

  const mustExist = async (userId: string) => {
    const user = await store.user(userId);
    if (user === null) throw notFound('user', userId);
    return user;
  };

  const mayMake = ({ isOperator }: UserRow, memberships: readonly { role: Role }[]) =>
    isOperator ||
    newWorkspaces === 'everyone' ||
    (newWorkspaces === 'admins' && memberships.some(({ role }) => role === 'owner' || role === 'admin'));

  /**
   * The account was made by an invitation or on this machine, which proves nothing about the address. From now on it
   * belongs to the person the provider vouches for, and nothing issued before gives access to it.
   */
  const link = async (user: UserRow, subject: string) => {
    await store.linkUser(user.id, subject);
    await forgetEverything(user.id);
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
      store.transaction(async () => {
        await store.lockSignUp();
        if ((await store.firstUser()) !== null) {
          throw new Refusal(
            'Forbidden',
            'Posthorn is set up already: a user exists. New people join by invitation; the operator gets in with posthorn link.',
          );
        }
        if (!(await mayBeFirst())) throw noCode();
        return addFirst(workspace, () => addUser(email, password, true));
      }),

    isEmpty: async () => (await store.firstUser()) === null,

    /** The one user of a fresh installation who has not set a password, or nobody at all: they may come by a link. */
    awaitsFirstPassword: async () => {
      const first = await store.firstUser();
      return first === null || (first.passwordHash === null && first.subject === null)
        ? { userId: first?.id }
        : undefined;
    },

    /** The person with this address, or the one who set the installation up. */
    forLink: async (email?: string) => {
      const user = email === undefined ? await store.operator() : await store.userByEmail(emailKey(email));
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

    /** Where MCP clients act. */
    openedLast: async (userId: string) => {
      const { lastWorkspaceId } = await mustExist(userId);
      const last = (await store.memberships(userId)).find(({ id }) => id === lastWorkspaceId);
      return last && { id: last.id, name: last.name, role: last.role };
    },

    lastWorkspace: async (userId: string) => (await mustExist(userId)).lastWorkspaceId ?? undefined,

    /** For the audit log: the user behind an address, not yet proven, and their workspace. */
    known: async (email: string) => {
      const user = await store.userByEmail(emailKey(email));
      return { userId: user?.id, workspaceId: user?.lastWorkspaceId ?? undefined };
    },

    /** The same work and the same answer for a wrong password and an unknown address. */
    signIn: async (email: string, password: string) => {
      const user = await store.userByEmail(emailKey(email));
      const fits = await isPassword(user?.passwordHash ?? (await nobodysHash()), password);
      if (user === null || user.passwordHash === null || !fits) throw wrongPassword();
      return user.id;
    },

    /**
     * Known by subject; else by an address that the provider vouches for; else invited to that address; else the first of
     * all, if they may be.
     */
    signInAs: ({ subject, email }: OutsidePerson, { mayBeFirst }: { mayBeFirst: () => Promise<boolean> }) =>
      store.transaction(async () => {
        await store.lockSignUp();
        const bySubject = await store.userBySubject(subject);
        if (bySubject !== null) return bySubject.id;
        if (email === undefined) {
          throw notLetIn('NoAddress', 'Your identity provider does not vouch for an e-mail address of yours.');
        }
        const known = await store.userByEmail(emailKey(email));
        if (known !== null && known.subject === null) return link(known, subject);
        const add = async (isOperator: boolean) => {
          const id = newId('user', clock.now());
          await store.insertUser({ id, email: checkEmail(email), subject, isOperator });
          return id;
        };
        if (known === null && (await store.firstUser()) === null) {
          if (!(await mayBeFirst())) throw noCode();
          return (await addFirst('My workspace', () => add(true))).userId;
        }
        if (known === null && (await store.isInvited(emailKey(email), clock.now()))) return add(false);
        throw notLetIn('NotInvited', `${email} is not a member here. Ask an admin for an invitation.`);
      }),

    changeProfile: async (userId: string, change: ProfileChange) => {
      if (change.timeZone) mustBeTimeZone(change.timeZone);
      await store.setProfile(userId, change);
    },

    /** `current` is not asked for when there is no password, or when somebody came by a one-time link. */
    changePassword: async (userId: string, next: string, current: string | undefined) => {
      const { passwordHash } = await mustExist(userId);
      if (passwordHash !== null && current !== undefined && !(await isPassword(passwordHash, current))) {
        throw badInput({ path: 'current', code: 'WrongPassword', message: 'is not your current password' });
      }
      await store.setPassword(userId, await hashPassword(checkPassword(next, 'next')), clock.now());
    },

    distrustTokens: async (userId: string) => {
      await store.distrustTokens(userId, clock.now());
    },

    createWorkspace: (userId: string, name: string) =>
      store.transaction(async () => {
        // One at a time, so that many at once are counted too.
        await store.lockUser(userId);
        const memberships = await store.memberships(userId);
        if (!mayMake(await mustExist(userId), memberships)) {
          throw new Refusal('Forbidden', whoMakes[newWorkspaces === 'operator' ? 'operator' : 'admins']);
        }
        const owned = memberships.filter(({ role }) => role === 'owner').length;
        if (owned >= bounds.workspaces) {
          throw new Refusal('Conflict', `You own ${owned} workspaces. Delete one or hand one over to make another.`);
        }
        return addWorkspace(userId, name);
      }),

    /** MCP clients act in the workspace that was opened last. */
    openWorkspace: async (userId: string, workspaceId: string) => {
      if ((await store.member(workspaceId, userId)) === null) throw notFound('workspace', workspaceId);
      await store.setLastWorkspace(userId, workspaceId);
    },

    /** When somebody leaves it. MCP clients act in the workspace opened last: with another one they go on. */
    endClientsIn: async ({ userId, workspaceId }: { userId: string; workspaceId: string }) => {
      if (await store.forgetLastWorkspace(userId, workspaceId)) await endClients(userId);
    },

    changeWorkspace: (id: string, change: { name?: string | undefined; statisticsTools?: boolean | undefined }) =>
      store.transaction(async () => {
        await store.changeWorkspace(id, change);
        if (change.statisticsTools !== undefined) await accessChanged();
      }),

    /** By the operator; plans say what it covers. */
    setPlan: async (workspaceId: string, plan: string) => {
      plans.mustExist(plan);
      if (!(await store.setPlan(workspaceId, plan))) throw notFound('workspace', workspaceId);
    },

    addPerson: (email: string, password: string) => addUser(email, password),

    addMember: (
      workspaceId: string,
      { email, password, role }: { email: string; password?: string | undefined; role: Role },
    ) =>
      store.transaction(async () => {
        const userId = await addUser(email, password);
        await store.insertMember({ workspaceId, userId, role });
        await store.setLastWorkspace(userId, workspaceId);
        return { userId, workspaceId };
      }),

    workspaceName: async (id: string) => (await store.workspace(id))?.name ?? '',

    workspaces: async () => (await store.workspaces()).map(({ id, name }) => ({ id, name })),
  };
};

const whoMakes = {
  admins: 'Only owners and admins of a workspace make another one. Ask one of them.',
  operator: 'Only the person who set Posthorn up makes workspaces here. Ask them.',
};

/** The code is for the sign-in page, which has words of its own. */
const notLetIn = (code: 'NoAddress' | 'NotInvited' | 'NeedsCode', message: string) =>
  new Refusal('Forbidden', message, [{ path: '', code, message }]);

const noCode = () =>
  notLetIn(
    'NeedsCode',
    'The first owner needs the code that Posthorn printed when it started. Type it in, or run posthorn setup on the server.',
  );

export const nameOf = ({ name, email }: { name: string | null; email: string }) => name || (email.split('@')[0] ?? '');

const wrongPassword = () => new Refusal('Unauthorized', 'E-mail address or password is wrong.');

/** Whether a rule refused because of the password, and not for another reason. */
export const isWrongPassword = (error: unknown) =>
  error instanceof Refusal && (error.code === 'Unauthorized' || error.issues[0]?.code === 'WrongPassword');

/** Compared against when there is no such user, so that the answer takes equally long. */
const nobodysHash = () => {
  nobody ??= hashPassword('nobody has this password');
  return nobody;
};
let nobody: Promise<string> | undefined;

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
