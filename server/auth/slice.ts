import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Live } from '#server/live/open-tabs';
import type { Database } from '#server/store/database';
import { createClients } from './clients.ts';
import { type AccessToken, createMcpAccess } from './mcp-access.ts';
import { createOneTimeSecrets } from './one-time-secrets.ts';
import { createPasswordTries } from './password-tries.ts';
import { createPersonalTokens } from './personal-tokens.ts';
import { accessRoutes } from './routes.ts';
import { createSessions } from './sessions.ts';
import {
  createAccessStore,
  createClientStore,
  createSecretStore,
  createSessionStore,
  createTokenStore,
  createTryStore,
} from './store.ts';

export const openAuth = ({
  database,
  audit,
  live: { accessChanged },
  clock,
  wallClock,
}: {
  database: Database;
  audit: AuditLog;
  live: Live;
  clock: Clock;
  /** Sessions, clients and tries go by it: the sandbox does not move it. */
  wallClock: Clock;
}) => {
  const tokens = createPersonalTokens({ store: createTokenStore(database), clock });
  const sessions = createSessions({ store: createSessionStore(database), clock: wallClock, accessChanged });
  const clients = createClients({ store: createClientStore(database), audit, clock: wallClock });
  const accessStore = createAccessStore(database);
  return {
    tokens,
    sessions,
    clients,
    tries: createPasswordTries({ store: createTryStore(database), clock: wallClock }),
    secrets: createOneTimeSecrets({ store: createSecretStore(database), clock: wallClock }),
    /** Once it is known who vouches for access tokens. */
    mcpAccess: (verifyAccessToken: (token: string) => Promise<AccessToken | undefined>) =>
      createMcpAccess({ tokens, clients, store: accessStore, verifyAccessToken }),
    routes: accessRoutes({ tokens, clients, sessions, audit }),
  };
};

export type Auth = ReturnType<typeof openAuth>;
