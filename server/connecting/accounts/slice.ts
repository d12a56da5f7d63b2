import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import { type Clock, type Stopwatch, startStopwatch as startSystemStopwatch } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import { createDueLoop } from '#server/base/jobs/due-loop';
import type { Live } from '#server/base/live/live';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { Database } from '#server/base/store/database';
import type { Notifications } from '#server/messaging/notifications/notifications';
import type { Events } from '#server/messaging/webhooks/events';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { Sites } from '#server/networks/sites';
import { createAccountAccess } from './access.ts';
import { createAccountStore } from './account-store.ts';
import { createAccounts } from './accounts.ts';
import { createAvatarStore } from './avatar-store.ts';
import { createAvatars } from './avatars.ts';
import { createChoiceNameStore } from './choice-name-store.ts';
import { createChoices } from './choices.ts';
import { createConnecting } from './connecting.ts';
import { createConnectionStore } from './connection-store.ts';
import { createNetworkAccess } from './network-access.ts';
import { createRegistrationStore } from './network-access-store.ts';
import { createAccountOutlooks } from './outlook.ts';
import { createRevoking } from './revoking.ts';
import { accountRoutes } from './routes.ts';

export const openAccounts = ({
  database,
  networks,
  sites,
  events,
  notifications,
  rights,
  audit,
  live,
  outbound,
  seal,
  config: { baseUrl, networkTimeoutMs, setting },
  startStopwatch = () => startSystemStopwatch(),
  clock,
  report,
}: {
  database: Database;
  networks: Networks;
  sites: Sites;
  events: Events;
  notifications: Notifications;
  rights: Rights;
  audit: AuditLog;
  live: Live;
  outbound: Outbound;
  seal: Seal;
  config: Config;
  /** For tests, which move time. */
  startStopwatch?: (() => Stopwatch) | undefined;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createAccountStore(database);
  const redirectUri = ({ key }: Network) => `${baseUrl}/connect/${key}/callback`;
  const registrationStore = createRegistrationStore(database);
  const connectionStore = createConnectionStore(database);
  const choiceNames = createChoiceNameStore(database);
  const networkAccess = createNetworkAccess({
    store: registrationStore,
    sites,
    seal,
    sandboxUrl: sites.sandboxUrl,
    redirectUri,
    website: baseUrl,
  });
  const access = createAccountAccess({
    store,
    networkAccess,
    networks,
    events,
    notifications,
    live,
    networkTimeoutMs,
    clock,
    startStopwatch,
    report,
  });
  const { afterCommit } = database;
  const revoking = createRevoking({ store, networkAccess, networks, afterCommit, report });
  return {
    accounts: createAccounts({ store, choiceNames, networks, rights, revoking, audit, live }),
    access,
    outlooks: createAccountOutlooks({
      store,
      networkAccess,
      networks,
      setting: (name, byDefault) => setting(name) ?? byDefault,
    }),
    avatars: createAvatars({ store: createAvatarStore(database), outbound }),
    chores: {
      'remove registrations at servers nobody uses': { every: '1 day', run: networkAccess.purgeRegistrations },
    },
    discards: {
      'accounts.tokens': access.loseTokens,
      'network_apps.credentials': registrationStore.discardLost,
      'connections.secret': connectionStore.discardLost,
    },
    loops: { accounts: createDueLoop(access.work) },
    /** For tests: waits until all running revocations have succeeded or failed. */
    revoked: revoking.settled,
    close: revoking.close,

    /** Opened after statistics: they need `access`, and connecting calls them when an account is reconnected. */
    openConnecting: ({
      plans,
      providers: { isOffered, isLive },
      reconnected,
      keysWorked,
    }: {
      plans: Plans;
      providers: Record<'isOffered' | 'isLive', (network: Network) => boolean>;
      reconnected: (account: { readonly workspaceId: string; readonly id: string }) => Promise<void>;
      keysWorked: (network: Network) => Promise<void>;
    }) => {
      const connecting = createConnecting({
        store: connectionStore,
        accountStore: store,
        networkAccess,
        access,
        networks,
        rights,
        plans,
        audit,
        live,
        outbound,
        isOffered,
        isLive,
        reconnected,
        keysWorked,
        redirectUri,
        seal,
        clock,
      });
      return {
        connecting,
        routes: accountRoutes({
          connecting,
          choices: createChoices({ store, choiceNames, access, networks, report }),
        }),
        chores: { 'remove unfinished connections': { every: '1 hour', run: connecting.purge } },
      };
    },
  };
};
