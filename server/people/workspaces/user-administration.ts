import type { AuditLog } from '#server/access/audit/audit-log';
import type { OneTimeSecrets } from '#server/access/auth/one-time-secrets';
import type { Sessions } from '#server/access/auth/sessions';
import { Refusal } from '#server/base/errors';
import type { People } from './people.ts';
import type { Stores } from './stores.ts';

/** User administration by the operator, from the command line. */
export const createUserAdministration = ({
  userStore,
  memberStore,
  people,
  sessions,
  secrets,
  audit,
  removeFactors,
  hasPasswords,
}: Stores & {
  people: People;
  sessions: Sessions;
  secrets: OneTimeSecrets;
  audit: AuditLog;
  /** The authenticator app, recovery codes and passkeys of a person. */
  removeFactors: (userId: string) => Promise<void>;
  /** False where an outside identity provider signs people in. */
  hasPasswords: boolean;
}) => {
  const write = async (event: string, userId: string) =>
    audit.write({ event, userId, workspaceId: await people.lastWorkspace(userId) });
  return {
    everybody: async () => {
      const counts = await sessions.countByUser();
      return (await userStore.everybody()).map((person) => {
        const { count = 0, lastSeenAt = null } = counts.get(person.id) ?? {};
        return { ...person, sessions: count, lastSeenAt };
      });
    },

    /** The owner in whose name the operator acts, for instance to create tokens. */
    ownerOf: async (workspaceId: string) => {
      const owner = (await memberStore.members(workspaceId)).find(({ role }) => role === 'owner');
      if (owner) return { workspaceId, userId: owner.userId };
      const names = (await people.workspaces()).map(({ id, name }) => `${id} (${name})`).join(', ');
      throw new Refusal(
        'NotFound',
        `There is no workspace ${workspaceId}. ${names ? `There are: ${names}.` : 'Run posthorn setup first.'}`,
      );
    },

    /**
     * A one-time link for that person: whoever has it can set a new password within the hour. Second factors are removed, because
     * they may be what was lost.
     */
    newPasswordPath: async (address: string) => {
      if (!hasPasswords) {
        throw new Refusal('Forbidden', 'There are no passwords here: AUTH_URL says who signs people in.');
      }
      const { userId, email } = await people.forLink(address);
      await removeFactors(userId);
      const path = `/new-password/${await secrets.make('password', userId)}`;
      await write('password.link', userId);
      return { email, path };
    },

    /** Ends the sessions in every browser; with `endAll` also tokens and the access of MCP clients. */
    signOut: async (address: string, endAll?: (userId: string) => Promise<unknown>) => {
      const { userId, email } = await people.forLink(address);
      await sessions.endOthers(userId);
      await endAll?.(userId);
      await write('sessions.ended', userId);
      return { email, ended: endAll ? 'sessions, tokens and clients' : 'sessions' };
    },
  };
};
