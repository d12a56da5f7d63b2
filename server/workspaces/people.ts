import type { Role } from '#contracts/scopes';
import { hashPassword, passwordLength } from '#server/auth/passwords';
import type { Clock } from '#server/clock';
import { badInput, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { WorkspaceStore } from './store.ts';

export type People = ReturnType<typeof createPeople>;

/** Who is in which workspace. */
export const createPeople = ({ store, clock }: { store: WorkspaceStore; clock: Clock }) => {
  const addUser = async (email: string, password: string) => {
    const id = newId('user', clock.now());
    await store.insertUser({ id, email: checkEmail(email), passwordHash: await hashPassword(checkPassword(password)) });
    return id;
  };

  return {
    /** The first owner with a workspace; only while nobody has signed up. */
    setUp: ({ email, password, workspace }: { email: string; password: string; workspace: string }) =>
      store.transaction(async () => {
        await store.lockSignUp();
        if (await store.hasUsers()) {
          throw new Refusal('Conflict', 'Posthorn is set up already: a user exists. New people join by invitation.');
        }
        const userId = await addUser(email, password);
        const workspaceId = newId('workspace', clock.now());
        await store.insertWorkspace({ id: workspaceId, name: workspace });
        await store.insertMember({ workspaceId, userId, role: 'owner' });
        return { userId, workspaceId };
      }),

    addMember: (workspaceId: string, { email, password, role }: { email: string; password: string; role: Role }) =>
      store.transaction(async () => {
        const userId = await addUser(email, password);
        await store.insertMember({ workspaceId, userId, role });
        return { userId, workspaceId };
      }),

    removeMember: (workspaceId: string, userId: string) => store.removeMember({ workspaceId, userId }),

    workspaces: () => store.workspaces(),
    members: (workspaceId: string) => store.members(workspaceId),
  };
};

const checkEmail = (email: string) => {
  const trimmed = email.trim();
  if (trimmed.length > 254 || !/^[^\s@]+@[^\s@]+$/.test(trimmed)) {
    throw badInput({ path: 'email', code: 'BadFormat', message: 'must be an e-mail address' });
  }
  return trimmed;
};

const checkPassword = (password: string) => {
  const { min, max } = passwordLength;
  if (password.length < min || password.length > max) {
    throw badInput({
      path: 'password',
      code: password.length < min ? 'TooSmall' : 'TooBig',
      message: `must have ${min} to ${max} characters`,
    });
  }
  return password;
};
