import { type Scope, scopes } from '#contracts/scopes';
import type { Caller } from '#server/base/context';
import { Refusal } from '#server/base/errors';
import type { Clients } from './clients.ts';
import type { AccessStore } from './mcp-access-store.ts';
import type { PersonalTokens } from './personal-tokens.ts';
import { factorMissing } from './sign-ins.ts';

/** The claims of an access token whose signature, audience and age were checked. */
export interface AccessToken {
  readonly userId: string;
  readonly scopes: ReadonlySet<Scope>;
  readonly clientId: string;
  readonly issuedAt: Date;
}

const allScopes: ReadonlySet<Scope> = new Set(Object.keys(scopes) as Scope[]);

/** SPEC, MCP bearer tokens: a personal token with all scopes, or an access token in the workspace opened last. */
export const createMcpAccess =
  ({
    tokens,
    clients,
    store,
    verifyAccessToken,
  }: {
    tokens: PersonalTokens;
    clients: Pick<Clients, 'used'>;
    store: AccessStore;
    verifyAccessToken: (token: string) => Promise<AccessToken | undefined>;
  }) =>
  async (
    bearer: string,
  ): Promise<{ caller: Caller; scopes: ReadonlySet<Scope>; statisticsTools: boolean; rateKey: string } | undefined> => {
    const personal = await tokens.check(bearer);
    if (personal) {
      const { caller, statisticsTools, tokenId } = personal;
      return { caller, scopes: allScopes, statisticsTools, rateKey: tokenId };
    }
    const access = await verifyAccessToken(bearer);
    if (access === undefined) return undefined;
    const { userId, clientId, issuedAt } = access;
    const membership = await store.findMembership(userId, clientId, issuedAt);
    if (membership === undefined) return undefined;
    if (membership.member === undefined) {
      throw new Refusal('Forbidden', 'You have no workspace open. Open the Posthorn app and choose one.');
    }
    if (membership.lacksFactor) throw factorMissing();
    clients.used(userId, clientId, access.scopes);
    const { member, statisticsTools } = membership;
    const uploadAccess = access.scopes.has('posts:write') && {
      uploadAccess: { clientId, issuedAt: issuedAt.toISOString() },
    };
    return {
      caller: { ...member, mayPublish: false, isPerson: false, ...uploadAccess },
      scopes: access.scopes,
      statisticsTools,
      // Per client and user: a client that uses up its requests must not lock its user out of the app.
      rateKey: `${userId} ${clientId}`,
    };
  };
