import type { Logger } from 'pino';
import type { Clients } from '#server/access/auth/clients';
import type { Registrations } from '#server/access/auth/registrations';
import { createSessionDoor } from '#server/access/auth/session-door';
import type { Sessions } from '#server/access/auth/sessions';
import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { SignedIn } from '#server/base/signed-in';
import type { Database } from '#server/base/store/database';
import type { Identity } from './identity.ts';

export interface IdentityParts {
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly registrations: Registrations;
  /** The workspace that MCP clients of this user act in. */
  readonly openedLast: (userId: string) => Promise<SignedIn['workspace']>;
  /** Invalidates all access tokens of this user that were issued until now. */
  readonly distrustTokens: (userId: string) => Promise<void>;
  readonly database: Database;
  readonly seal: Seal;
  readonly outbound: Outbound;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The outside provider if AUTH_URL is set, otherwise the embedded one. It uses the wall clock, because tokens contain
 * wall clock times.
 */
export const openIdentityProvider = async ({
  sessions,
  clients,
  registrations,
  openedLast,
  outbound,
  config: { baseUrl, outsideProvider },
  ...shared
}: IdentityParts): Promise<Identity> => {
  // Imported on demand: they load large packages that no command needs.
  if (outsideProvider) {
    const { createOutsideIdentity } = await import('./outside.ts');
    return createOutsideIdentity({ ...outsideProvider, ...shared, baseUrl });
  }
  const { createIdentityProvider } = await import('./embedded.ts');
  const door = createSessionDoor({ sessions, baseUrl });
  return createIdentityProvider({
    ...shared,
    baseUrl,
    outbound,
    registrations,
    // The client will act in the workspace opened last, so the consent page shows that one.
    whoIsSignedIn: async (req) => {
      const who = await door.who(req);
      if (who === undefined) return undefined;
      const { workspace: _, ...person } = who;
      const workspace = await openedLast(who.userId);
      return workspace ? { ...person, workspace } : person;
    },
    onConsent: ({ who: { userId, workspace }, clientId, clientName, scopes, requestId }) =>
      clients.recordConsent({ userId, workspaceId: workspace?.id, clientId, name: clientName, scopes, requestId }),
    hasConsent: clients.hasConsent,
    onRevoke: clients.endByClient,
  });
};
