import type { AuditLog } from '#server/audit/audit-log';
import type { Identity } from '#server/auth/identity-provider/identity';
import { createRateLimit } from '#server/auth/rate-limit';
import type { Auth } from '#server/auth/slice';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config';
import type { Live } from '#server/live/open-tabs';
import type { Plans } from '#server/plans/allowance';
import type { Database } from '#server/store/database';
import { createMembers } from './members.ts';
import { outsideSignIn } from './outside-sign-in.ts';
import { createPeople } from './people.ts';
import { workspaceRoutes } from './routes.ts';
import { createWorkspaceStore } from './store.ts';
import { createWelcome } from './welcome.ts';

const hourMs = 3_600_000;

export const openWorkspaces = ({
  database,
  auth: { sessions, tokens, clients, tries, secrets },
  plans,
  audit,
  live: { accessChanged, tell },
  config,
  wallClock: clock,
}: {
  database: Database;
  auth: Pick<Auth, 'sessions' | 'tokens' | 'clients' | 'tries' | 'secrets'>;
  plans: Plans;
  audit: AuditLog;
  live: Live;
  config: Config;
  /** People, their invitations and their limits go by it: the sandbox does not move it. */
  wallClock: Clock;
}) => {
  const { baseUrl, production, newWorkspaces } = config;
  const store = createWorkspaceStore(database);
  const people = createPeople({
    store,
    audit,
    plans,
    newWorkspaces,
    forgetEverything: async (userId) => {
      await sessions.endOthers(userId);
      await tokens.revokeAll({ userId });
      await clients.endAll(userId);
    },
    clock,
  });
  const endTokens = tokens.revokeAll;
  const members = createMembers({ store, people, audit, plans, accessChanged, tell, endTokens, baseUrl, clock });
  const mayWelcome = !production && config.databaseUrl === undefined;
  const welcome = createWelcome({ people, sessions, secrets, audit, production, mayWelcome });
  const signInsOfAddress = createRateLimit({ name: 'sign-in', limit: config.signInsPerHour, windowMs: hourMs, clock });
  return {
    people,
    members,
    welcome,
    signInElsewhere: (parts: Pick<Parameters<typeof outsideSignIn>[0], 'outside' | 'setSession'>) =>
      outsideSignIn({ ...parts, people, welcome, sessions, audit, baseUrl }),
    /** Once it is known who signs people in. */
    routes: ({ outsideSignIn: outside, forgetUser }: Pick<Identity, 'outsideSignIn' | 'forgetUser'>) =>
      workspaceRoutes({
        people,
        members,
        sessions,
        welcome,
        audit,
        tries,
        mayTry: signInsOfAddress.mustHaveLeft,
        hasPasswords: outside === undefined,
        production,
        forgetUser: async (userId) => {
          await forgetUser(userId);
          await clients.endAll(userId);
        },
      }),
  };
};

export type Workspaces = ReturnType<typeof openWorkspaces>;
