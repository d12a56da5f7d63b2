import { minuteMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Identity } from '#server/access/auth/identity-provider/identity';
import { type IdentityParts, openIdentityProvider } from '#server/access/auth/identity-provider/open';
import { createIdentityStore, sealedInIdentity } from '#server/access/auth/identity-provider/store';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import { createClientStore } from './client-store.ts';
import { createClients } from './clients.ts';
import { createMcpAccess } from './mcp-access.ts';
import { createAccessStore } from './mcp-access-store.ts';
import { createSecretStore } from './one-time-secret-store.ts';
import { createOneTimeSecrets } from './one-time-secrets.ts';
import { createPasswordTries } from './password-tries.ts';
import { createTryStore } from './password-try-store.ts';
import { createTokenStore } from './personal-token-store.ts';
import { createPersonalTokens } from './personal-tokens.ts';
import { createRateLimits } from './rate-limit.ts';
import { createCountStore } from './rate-limit-store.ts';
import { createRegistrationStore } from './registration-store.ts';
import { createRegistrations } from './registrations.ts';
import { createRightStore } from './right-store.ts';
import { createRights } from './rights.ts';
import { accessRoutes, consentRoutes } from './routes.ts';
import { createSessionStore } from './session-store.ts';
import { createSessions } from './sessions.ts';
import { createPendingStore } from './sign-in-store.ts';
import { createSignIns } from './sign-ins.ts';

export const openAuth = ({
  database,
  audit,
  live,
  config,
  clock,
  wallClock,
}: {
  database: Database;
  audit: AuditLog;
  live: Live;
  config: Config;
  clock: Clock;
  /** For sessions, clients, password tries and limits. The sandbox does not move it. */
  wallClock: Clock;
}) => {
  const rights = createRights({ store: createRightStore(database) });
  const tokens = createPersonalTokens({ store: createTokenStore(database), rights, live, clock });
  const sessions = createSessions({
    store: createSessionStore(database),
    clock: wallClock,
    accessChanged: live.accessChanged,
  });
  const signIns = createSignIns({ store: createPendingStore(database), sessions, clock: wallClock });
  const clients = createClients({
    store: createClientStore(database),
    deleteGrants: createIdentityStore(database).forget,
    audit,
    clock: wallClock,
  });
  const tries = createPasswordTries({ store: createTryStore(database), clock: wallClock });
  const secrets = createOneTimeSecrets({ store: createSecretStore(database), clock: wallClock });
  const rateLimits = createRateLimits({ store: createCountStore(database), clock: wallClock });
  const registrations = createRegistrations({
    store: createRegistrationStore(database),
    rateLimits,
    perHour: config.registrationsPerHour,
    clock: wallClock,
  });
  const accessStore = createAccessStore(database);
  return {
    rights,
    tokens,
    sessions,
    signIns,
    clients,
    registrations,
    tries,
    secrets,
    /** Ends every access of a person who is deleted. */
    forgetPerson: async (userId: string) => {
      await sessions.endOthers(userId);
      await signIns.endOf(userId);
      await tokens.revokeAll(userId);
      await clients.endAll(userId);
      for (const purpose of ['sign-in', 'password'] as const) await secrets.dropOf(userId, purpose);
    },
    rateLimits,
    /** REST and MCP share this limit. */
    rateLimit: rateLimits.create({ name: 'api', limit: config.requestsPerMinute, windowMs: minuteMs }),
    /** Loads large packages, so no command opens it. */
    openIdentity: (parts: Pick<IdentityParts, 'openedLast' | 'distrustTokens' | 'outbound' | 'seal' | 'log'>) =>
      openIdentityProvider({ ...parts, database, config, sessions, clients, registrations, clock: wallClock }),
    mcpAccess: ({ verifyAccessToken }: Pick<Identity, 'verifyAccessToken'>) =>
      createMcpAccess({ tokens, clients, store: accessStore, verifyAccessToken }),
    /** For upload addresses, which stop working when the token that requested them ends. */
    roleWith: accessStore.roleWith,
    routes: accessRoutes({ tokens, clients, sessions, audit }),
    /** Opened later, because it needs the identity provider. */
    openConsent: ({ consent }: Pick<Identity, 'consent'>) => ({ routes: consentRoutes(consent) }),
    sealed: sealedInIdentity(database),
    // The next start creates a new key.
    discards: { 'signing_keys.sealed_private_key': createIdentityStore(database).deleteKey },
    chores: {
      'remove tokens that were revoked': { every: '1 day', run: tokens.purge },
      'remove old sessions': { every: '1 hour', run: sessions.purge },
      'remove sign-ins that were not finished': { every: '1 hour', run: signIns.purge },
      'remove old one-time links': { every: '1 hour', run: secrets.purge },
      'remove clients that registered and are not used': { every: '1 hour', run: registrations.purge },
      'forget wrong passwords': { every: '1 hour', run: tries.purge },
      'forget counted requests': { every: '5 minutes', run: rateLimits.purge },
    },
  };
};

export type Auth = ReturnType<typeof openAuth>;
