import type { Logger } from 'pino';
import type { Clients } from '#server/auth/clients';
import type { Registrations } from '#server/auth/registrations';
import { createSessionDoor } from '#server/auth/session-cookie';
import type { Sessions } from '#server/auth/sessions';
import type { Clock } from '#server/clock';
import type { Config } from '#server/config/config';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Seal } from '#server/secrets/seal';
import type { SignedIn } from '#server/signed-in';
import type { Database } from '#server/store/database';
import type { Identity } from './identity.ts';

export interface IdentityParts {
  readonly sessions: Sessions;
  readonly clients: Clients;
  readonly registrations: Registrations;
  /** The workspace that MCP clients of this user act in. */
  readonly openedLast: (userId: string) => Promise<SignedIn['workspace']>;
  /** No access token of this user from before now counts. */
  readonly distrustTokens: (userId: string) => Promise<void>;
  readonly database: Database;
  readonly seal: Seal;
  readonly outbound: Outbound;
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
}

/** With AUTH_URL an outside provider, else the embedded one. Always by the wall clock, which is in its tokens. */
export const openIdentityProvider = async ({
  sessions,
  clients,
  registrations,
  openedLast,
  outbound,
  config: { baseUrl, outsideProvider },
  ...shared
}: IdentityParts): Promise<Identity> => {
  // Imported by the service alone: they bring large packages, and no command needs them.
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
    // The page that asks for consent shows the workspace that the client will act in.
    whoIsSignedIn: async (req) => {
      const who = await door.who(req);
      if (who === undefined) return undefined;
      const { workspace: _, ...person } = who;
      const workspace = await openedLast(who.userId);
      return workspace ? { ...person, workspace } : person;
    },
    consented: ({ who: { userId, workspace }, clientId, clientName, scopes, requestId }) =>
      clients.given({ userId, workspaceId: workspace?.id, clientId, name: clientName, scopes, requestId }),
    hasConsent: clients.isGiven,
    revoked: clients.revoked,
  });
};
