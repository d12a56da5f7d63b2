import type { AuditLog } from '#server/access/audit/audit-log';
import type { Auth } from '#server/access/auth/slice';
import type { Plans } from '#server/access/plans/plans';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import { createPeople } from './people.ts';
import { createStores } from './stores.ts';
import { createUserAdministration } from './user-administration.ts';
import { createWelcome } from './welcome.ts';

export type OpenPeople = ReturnType<typeof openPeople>;

interface PeopleParts {
  readonly database: Database;
  readonly auth: Pick<Auth, 'rights' | 'sessions' | 'signIns' | 'tokens' | 'clients' | 'secrets'>;
  readonly plans: Plans;
  readonly audit: AuditLog;
  readonly live: Live;
  readonly removeFactors: (userId: string) => Promise<void>;
  readonly config: Config;
  /** For people, invitations and limits: the sandbox must not move it. */
  readonly wallClock: Clock;
}

/** Users and sign-in. Separate from the slice, because most commands need only this. */
export const openPeople = ({
  database,
  auth: { rights, sessions, signIns, tokens, clients, secrets },
  plans,
  audit,
  live,
  removeFactors,
  config,
  wallClock: clock,
}: PeopleParts) => {
  const { production, newWorkspaces } = config;
  const stores = createStores(database);
  const people = createPeople({
    ...stores,
    rights,
    audit,
    plans,
    newWorkspaces,
    revokeAllAccess: async (userId) => {
      await sessions.endOthers(userId);
      await tokens.revokeAll(userId);
      await clients.endAll(userId);
    },
    endClients: clients.endAll,
    accessChanged: () => live.accessChanged(),
    workspaceChanged: (workspaceId) => live.publish({ workspaceId, kind: 'workspace', id: workspaceId }),
    lastNews: live.lastEventId,
    clock,
  });
  const canPrintLink = !production && config.databaseUrl === undefined;
  const welcome = createWelcome({
    people,
    signIns,
    secrets,
    audit,
    transaction: database.transaction,
    production,
    canPrintLink,
  });
  const hasPasswords = config.outsideProvider === undefined;
  const userAdministration = createUserAdministration({
    ...stores,
    people,
    sessions,
    secrets,
    audit,
    removeFactors,
    hasPasswords,
  });
  return { people, welcome, userAdministration };
};
