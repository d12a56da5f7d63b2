import type { ConsentRoutes } from '#contracts/consent';
import type { TokenRoutes } from '#contracts/tokens';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Consent } from '#server/access/auth/identity-provider/interactions';
import type { RouteHandlers } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Clients } from './clients.ts';
import type { PersonalTokens } from './personal-tokens.ts';
import type { Sessions } from './sessions.ts';

/** Tokens (SPEC, Token endpoints), MCP clients and sessions of the signed-in user. */
export const accessRoutes = ({
  tokens,
  clients,
  sessions,
  audit,
}: {
  tokens: PersonalTokens;
  clients: Clients;
  sessions: Sessions;
  audit: AuditLog;
}): RouteHandlers<TokenRoutes> => ({
  listTokens: async ({ signedIn }) =>
    (await tokens.list({ userId: signedIn.userId })).map(({ lastUsedAt, ...token }) => ({
      ...token,
      ...(lastUsedAt !== null && { lastUsedAt }),
    })),

  createToken: ({ caller, signedIn, body, requestId }) =>
    tokens.transaction(async () => {
      const created = await tokens.create(caller, body.name);
      const { workspaceId, userId } = caller;
      await audit.write({
        event: 'token.created',
        workspaceId,
        userId,
        requestId,
        details: { id: created.id, name: body.name },
      });
      return { ...created, workspace: { id: workspaceId, name: signedIn.workspace?.name ?? '' } };
    }),

  revokeToken: ({ signedIn: { userId }, params: { id }, requestId }) =>
    tokens.transaction(async () => {
      const workspaceId = await tokens.revoke(id, { userId });
      await audit.write({ event: 'token.revoked', workspaceId, userId, requestId, details: { id } });
      return { done: true };
    }),

  listClients: async ({ signedIn }) => ({ clients: await clients.list(signedIn.userId) }),
  endClient: async ({ signedIn, params, requestId }) => {
    await clients.end(signedIn, params.id, requestId);
    return { done: true };
  },

  listSessions: async ({ signedIn }) => ({ sessions: await sessions.list(signedIn) }),
  endSession: ({ signedIn, params: { id }, requestId }) =>
    tokens.transaction(async () => {
      await sessions.endOne(signedIn, id);
      const { userId, workspace } = signedIn;
      await audit.write({ event: 'session.ended', workspaceId: workspace?.id, userId, requestId, details: { id } });
      return { done: true };
    }),
});

/** Only for the embedded identity provider; an outside one has its own pages. */
export const consentRoutes = (consent: Consent | undefined): RouteHandlers<ConsentRoutes> => {
  const mustHaveConsent = () => {
    if (consent === undefined) {
      throw new Refusal(
        'NotFound',
        'Consent is given at your identity provider here. Go back to the app that sent you, and start again.',
      );
    }
    return consent;
  };
  return {
    readConsent: ({ exchange, params: { id } }) => mustHaveConsent().read(exchange, id),
    decideConsent: async ({ exchange, params: { id }, body, requestId }) => ({
      next: await mustHaveConsent().decide(exchange, id, { ...body, requestId }),
    }),
  };
};
