import { hourMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import { keyOfAddress } from '#server/access/auth/rate-limit';
import type { Auth } from '#server/access/auth/slice';
import type { Plans } from '#server/access/plans/plans';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import type { Messages } from '#server/messaging/messages/messages';
import type { Notifications } from '#server/messaging/notifications/notifications';
import { createDeletion } from './deletion.ts';
import { createForgottenPassword } from './forgotten-password.ts';
import { createInvitations } from './invitations.ts';
import { createMembers, type Members } from './members.ts';
import type { EndMembership } from './membership-end.ts';
import type { OpenPeople } from './open-people.ts';
import { outsideSignIn } from './outside-sign-in.ts';
import { createPersonDeletion, type PersonDeletion } from './person-deletion.ts';
import { workspaceRoutes } from './routes.ts';
import { createStores } from './stores.ts';

export const openWorkspaces = ({
  database,
  auth: { rights, sessions, signIns, tokens, clients, tries, secrets, rateLimits },
  people,
  welcome,
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
  auth: Pick<Auth, 'rights' | 'sessions' | 'signIns' | 'tokens' | 'clients' | 'tries' | 'secrets' | 'rateLimits'>;
  people: OpenPeople['people'];
  welcome: OpenPeople['welcome'];
  plans: Plans;
  leaving: (workspaceId: string) => Promise<() => void>;
  audit: AuditLog;
  live: Live;
  messages: Messages;
  notifications: Notifications;
  report: (error: unknown) => void;
  config: Config;
  /** For people, invitations and limits: the sandbox must not move it. */
  wallClock: Clock;
}) => {
  const { baseUrl, production } = config;
  const stores = createStores(database);
  const { publish } = live;
  const invitations = createInvitations({
    ...stores,
    people,
    plans,
    audit,
    messages,
    notifications,
    publish,
    baseUrl,
    clock,
  });
  const deletion = createDeletion({ ...stores, rights, notifications, audit, live, leaving, clock, report });
  const forgotten = createForgottenPassword({ store: stores.userStore, people, secrets, audit, messages, baseUrl });
  const signInLimit = rateLimits.create({ name: 'sign-in', limit: config.signInsPerHour, windowMs: hourMs });
  const mayTry = (address: string) => signInLimit.mustHaveLeft(keyOfAddress(address));
  return {
    mayTry,
    invitations,
    deletion,
    chores: {
      'remove workspaces whose time has come': { every: '1 hour', run: deletion.removeDue },
      'remove old invitations': { every: '1 day', run: invitations.purge },
    },
    signInElsewhere: (parts: Pick<Parameters<typeof outsideSignIn>[0], 'outside' | 'setSession'>) =>
      outsideSignIn({ ...parts, people, welcome, sessions, audit, baseUrl }),
    /** Opened last, because what ends with a membership belongs to slices that depend on this one. */
    openMembers: ({
      endMembership,
      forgetPerson,
    }: {
      endMembership: EndMembership;
      forgetPerson: (userId: string) => Promise<void>;
    }) => ({
      members: createMembers({ ...stores, audit, publish, endMembership }),
      personDeletion: createPersonDeletion({ ...stores, people, endMembership, forgetPerson, audit, clock }),
    }),
    /** Opened once the identity provider is known. */
    openWorkspaceRoutes: ({
      members,
      personDeletion,
      mustProve,
      identity: { outsideSignIn: outside, forgetUser },
    }: {
      members: Members;
      personDeletion: PersonDeletion;
      mustProve: ProofOfPerson['mustProve'];
      identity: Pick<Identity, 'outsideSignIn' | 'forgetUser'>;
    }) => ({
      routes: workspaceRoutes({
        people,
        members,
        invitations,
        sessions,
        signIns,
        welcome,
        deletion,
        personDeletion,
        mustProve,
        forgotten,
        audit,
        tries,
        mayTry,
        transaction: database.transaction,
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
    }),
  };
};

export type Workspaces = ReturnType<typeof openWorkspaces>;
