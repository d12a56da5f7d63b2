import type { AuditLog } from '#server/audit/audit-log';
import type { Identity } from '#server/auth/identity-provider/identity';
import type { Auth } from '#server/auth/slice';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config';
import type { Live } from '#server/live/open-tabs';
import type { Messages } from '#server/messages/queue';
import type { Notifications } from '#server/notifications/notifications';
import type { Plans } from '#server/plans/allowance';
import type { Database } from '#server/store/database';
import { createDeletion } from './deletion.ts';
import { createForgottenPassword } from './forgotten-password.ts';
import { createHelpDesk } from './help-desk.ts';
import { createMembers } from './members.ts';
import { outsideSignIn } from './outside-sign-in.ts';
import { createPeople } from './people.ts';
import { workspaceRoutes } from './routes.ts';
import { createWorkspaceStore } from './store.ts';
import { createWelcome } from './welcome.ts';

const hourMs = 3_600_000;

export const openWorkspaces = ({
  database,
  auth: { sessions, tokens, clients, tries, secrets, rateLimits },
  plans,
  leaving,
  audit,
  live,
  messages,
  notifications,
  report,
  config,
  wallClock: clock,
}: {
  database: Database;
  auth: Pick<Auth, 'sessions' | 'tokens' | 'clients' | 'tries' | 'secrets' | 'rateLimits'>;
  plans: Plans;
  leaving: (workspaceId: string) => Promise<() => void>;
  audit: AuditLog;
  live: Live;
  messages: Messages;
  notifications: Notifications;
  report: (error: unknown) => void;
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
    accessChanged: () => live.accessChanged(),
    clock,
  });
  const { accessChanged, tell } = live;
  const told = { audit, messages, notifications, baseUrl, clock };
  const members = createMembers({ ...told, store, people, plans, accessChanged, tell, endTokens: tokens.revokeAll });
  const deletion = createDeletion({ store, notifications, audit, live, leaving, clock });
  const forgotten = createForgottenPassword({ ...told, store, people, secrets });
  const mayWelcome = !production && config.databaseUrl === undefined;
  const welcome = createWelcome({ people, sessions, secrets, audit, production, mayWelcome });
  const hasPasswords = config.outsideProvider === undefined;
  const helpDesk = createHelpDesk({ store, people, sessions, secrets, audit, hasPasswords });
  const signInsOfAddress = rateLimits.create({ name: 'sign-in', limit: config.signInsPerHour, windowMs: hourMs });
  return {
    people,
    members,
    welcome,
    deletion,
    helpDesk,
    chores: { 'remove workspaces whose time has come': { every: '1 hour', run: deletion.removeDue } },
    signInElsewhere: (parts: Pick<Parameters<typeof outsideSignIn>[0], 'outside' | 'setSession'>) =>
      outsideSignIn({ ...parts, people, welcome, sessions, audit, baseUrl }),
    /** Once it is known who signs people in. */
    routes: ({ outsideSignIn: outside, forgetUser }: Pick<Identity, 'outsideSignIn' | 'forgetUser'>) =>
      workspaceRoutes({
        people,
        members,
        sessions,
        welcome,
        deletion,
        forgotten,
        audit,
        tries,
        mayTry: signInsOfAddress.mustHaveLeft,
        hasPasswords: outside === undefined,
        production,
        report,
        forgetUser: async (userId) => {
          await forgetUser(userId);
          await clients.endAll(userId);
        },
      }),
  };
};

export type Workspaces = ReturnType<typeof openWorkspaces>;
