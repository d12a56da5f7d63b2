import type { Identity } from '#server/auth/identity-provider/identity';
import { keyOfAddress } from '#server/auth/rate-limit';
import type { Auth } from '#server/auth/slice';
import type { Messages } from '#server/messages/queue';
import type { Notifications } from '#server/notifications/notifications';
import { createDeletion } from './deletion.ts';
import { createForgottenPassword } from './forgotten-password.ts';
import { createInvitations } from './invitations.ts';
import { createMembers } from './members.ts';
import type { EndMembership } from './membership-end.ts';
import { openPeople, type PeopleParts } from './open-people.ts';
import { outsideSignIn } from './outside-sign-in.ts';
import { workspaceRoutes } from './routes.ts';

const hourMs = 3_600_000;

export const openWorkspaces = ({
  database,
  auth,
  plans,
  leaving,
  endMembership,
  audit,
  live,
  messages,
  notifications,
  report,
  config,
  wallClock: clock,
}: PeopleParts & {
  auth: Pick<Auth, 'tries' | 'rateLimits'>;
  leaving: (workspaceId: string) => Promise<() => void>;
  endMembership: EndMembership;
  messages: Messages;
  notifications: Notifications;
  report: (error: unknown) => void;
}) => {
  const { baseUrl, production } = config;
  const { sessions, tokens, clients, tries, secrets, rateLimits } = auth;
  const { store, people, welcome, helpDesk } = openPeople({
    database,
    auth,
    plans,
    audit,
    live,
    config,
    wallClock: clock,
  });
  const { tell } = live;
  const told = { audit, messages, notifications, baseUrl, clock };
  const members = createMembers({ store, audit, tell, endMembership });
  const invitations = createInvitations({ ...told, store, people, plans, tell });
  const deletion = createDeletion({ store, notifications, audit, live, leaving, clock, report });
  const forgotten = createForgottenPassword({ ...told, store, people, secrets });
  const signInsOfAddress = rateLimits.create({ name: 'sign-in', limit: config.signInsPerHour, windowMs: hourMs });
  return {
    people,
    members,
    invitations,
    welcome,
    deletion,
    helpDesk,
    chores: {
      'remove workspaces whose time has come': { every: '1 hour', run: deletion.removeDue },
      'remove old invitations': { every: '1 day', run: invitations.purge },
    },
    signInElsewhere: (parts: Pick<Parameters<typeof outsideSignIn>[0], 'outside' | 'setSession'>) =>
      outsideSignIn({ ...parts, people, welcome, sessions, audit, baseUrl }),
    /** Once it is known who signs people in. */
    routes: ({ outsideSignIn: outside, forgetUser }: Pick<Identity, 'outsideSignIn' | 'forgetUser'>) =>
      workspaceRoutes({
        people,
        members,
        invitations,
        sessions,
        welcome,
        deletion,
        forgotten,
        audit,
        tries,
        mayTry: (address) => signInsOfAddress.mustHaveLeft(keyOfAddress(address)),
        transaction: store.transaction,
        hasPasswords: outside === undefined,
        baseUrl,
        production,
        report,
        revokeTokens: tokens.revokeAll,
        forgetUser: async (userId) => {
          await forgetUser(userId);
          await clients.endAll(userId);
        },
      }),
  };
};

export type Workspaces = ReturnType<typeof openWorkspaces>;
