import type { SessionRecord } from '#contracts/people';
import type { Role } from '#contracts/scopes';
import { hashPassword, isPassword, passwordLength } from '#server/auth/passwords';
import type { Clock } from '#server/clock';
import { badInput, notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { WorkspaceStore } from './store.ts';

export type People = ReturnType<typeof createPeople>;

/** Who can sign in, and which workspaces they are in. */
export const createPeople = ({ store, clock }: { store: WorkspaceStore; clock: Clock }) => {
  const addUser = async (email: string, password: string | undefined) => {
    const id = newId('user', clock.now());
    const passwordHash = password === undefined ? null : await hashPassword(checkPassword(password, 'password'));
    await store.insertUser({ id, email: checkEmail(email), passwordHash });
    return id;
  };

  const addWorkspace = async (userId: string, name: string) => {
    const workspaceId = newId('workspace', clock.now());
    await store.insertWorkspace({ id: workspaceId, name });
    await store.insertMember({ workspaceId, userId, role: 'owner' });
    await store.updateUser(userId, { lastWorkspaceId: workspaceId });
    return workspaceId;
  };

  const session = async (userId: string): Promise<SessionRecord> => {
    const user = await mustExist(userId);
    const memberships = await store.memberships(userId);
    const open = memberships.find(({ workspaceId }) => workspaceId === user.lastWorkspaceId);
    return {
      user: { id: user.id, email: user.email, hasPassword: user.passwordHash !== null },
      ...(open?.Workspace && {
        workspace: {
          id: open.workspaceId,
          name: open.Workspace.name,
          role: open.role,
          statisticsTools: open.Workspace.statisticsTools,
        },
      }),
      workspaces: memberships.map(({ workspaceId, role, Workspace }) => ({
        id: workspaceId,
        name: Workspace?.name ?? '',
        role,
      })),
    };
  };

  const mustExist = async (userId: string) => {
    const user = await store.user(userId);
    if (user === null) throw notFound('user', userId);
    return user;
  };

  return {
    session,

    /** The first owner with a workspace; only while nobody has signed up. */
    setUp: ({ email, password, workspace }: { email: string; password?: string; workspace: string }) =>
      store.transaction(async () => {
        await store.lockSignUp();
        if (await store.hasUsers()) {
          throw new Refusal('Forbidden', 'Posthorn is set up already: a user exists. New people join by invitation.');
        }
        const userId = await addUser(email, password);
        return { userId, workspaceId: await addWorkspace(userId, workspace) };
      }),

    isEmpty: async () => !(await store.hasUsers()),

    /** The one user of a fresh installation who has not set a password, or nobody at all: they may come by a link. */
    awaitsFirstPassword: async () => {
      const first = await store.firstUser();
      return first === null || first.passwordHash === null ? { userId: first?.id } : undefined;
    },

    /** The same work and the same answer for a wrong password and an unknown address. */
    signIn: async (email: string, password: string) => {
      const user = await store.userByEmail(email.trim());
      const fits = await isPassword(user?.passwordHash ?? (await nobodysHash()), password);
      if (user === null || user.passwordHash === null || !fits) {
        throw new Refusal('Unauthorized', 'E-mail address or password is wrong.');
      }
      return user.id;
    },

    /** Somebody an outside identity provider vouches for: known by subject, else by address, else the first of all. */
    signInAs: ({ subject, email }: { subject: string; email: string }) =>
      store.transaction(async () => {
        await store.lockSignUp();
        const known = (await store.userBySubject(subject)) ?? (await store.userByEmail(email));
        if (known?.subject === subject) return known.id;
        if (known !== null && known.subject === null) {
          await store.updateUser(known.id, { subject });
          return known.id;
        }
        if (known !== null || (await store.hasUsers())) {
          throw new Refusal('Forbidden', `${email} is not a member here. Ask an admin for an invitation.`);
        }
        const id = newId('user', clock.now());
        await store.insertUser({ id, email: checkEmail(email), subject });
        await addWorkspace(id, 'My workspace');
        return id;
      }),

    changePassword: async (userId: string, current: string, next: string) => {
      const { passwordHash } = await mustExist(userId);
      if (passwordHash !== null && !(await isPassword(passwordHash, current))) {
        throw badInput({ path: 'current', code: 'WrongPassword', message: 'is not your present password' });
      }
      await store.updateUser(userId, {
        passwordHash: await hashPassword(checkPassword(next, 'next')),
        tokensValidAfter: clock.now(),
      });
    },

    createWorkspace: (userId: string, name: string) => store.transaction(() => addWorkspace(userId, name)),

    /** MCP clients act in the workspace that was opened last. */
    openWorkspace: async (userId: string, workspaceId: string) => {
      if ((await store.member(workspaceId, userId)) === null) throw notFound('workspace', workspaceId);
      await store.updateUser(userId, { lastWorkspaceId: workspaceId });
    },

    changeWorkspace: (
      id: string,
      { name, statisticsTools }: { name?: string | undefined; statisticsTools?: boolean | undefined },
    ) =>
      store.updateWorkspace(id, {
        ...(name !== undefined && { name }),
        ...(statisticsTools !== undefined && { statisticsTools }),
      }),

    addMember: (workspaceId: string, { email, password, role }: { email: string; password: string; role: Role }) =>
      store.transaction(async () => {
        const userId = await addUser(email, password);
        await store.insertMember({ workspaceId, userId, role });
        await store.updateUser(userId, { lastWorkspaceId: workspaceId });
        return { userId, workspaceId };
      }),

    workspaces: async () => (await store.workspaces()).map(({ id, name }) => ({ id, name })),
  };
};

/** Compared against when there is no such user, so that the answer takes as long. */
const nobodysHash = () => {
  nobody ??= hashPassword('nobody has this password');
  return nobody;
};
let nobody: Promise<string> | undefined;

const checkEmail = (email: string) => {
  const trimmed = email.trim();
  if (trimmed.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(trimmed)) {
    throw badInput({ path: 'email', code: 'BadFormat', message: 'must be an e-mail address' });
  }
  return trimmed;
};

const checkPassword = (password: string, path: string) => {
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
