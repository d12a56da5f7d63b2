import type { TokenRoutes } from '#contracts/tokens';
import type { AuditLog } from '#server/audit/audit-log';
import type { RouteHandlers } from '#server/context';
import type { PersonalTokens } from './personal-tokens.ts';

/** SPEC, Token endpoints: for the signed-in user only. */
export const tokenRoutes = ({
  tokens,
  audit,
}: {
  tokens: PersonalTokens;
  audit: AuditLog;
}): RouteHandlers<TokenRoutes> => ({
  listTokens: async ({ caller }) =>
    (await tokens.list(caller)).map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      createdAt,
      ...(lastUsedAt !== null && { lastUsedAt }),
    })),

  createToken: async ({ caller, body, requestId }) => {
    const created = await tokens.create(caller, body.name);
    const { workspaceId, userId } = caller;
    await audit.write({
      event: 'token.created',
      workspaceId,
      userId,
      requestId,
      details: { id: created.id, name: body.name },
    });
    return created;
  },

  revokeToken: async ({ caller, params: { id }, requestId }) => {
    await tokens.revoke(id, caller);
    const { workspaceId, userId } = caller;
    await audit.write({ event: 'token.revoked', workspaceId, userId, requestId, details: { id } });
    return { done: true };
  },
});
