import { type Scope, scopes } from '#contracts/scopes';
import type { Caller } from '#server/context';
import { Refusal } from '#server/errors';
import type { PersonalTokens } from './personal-tokens.ts';
import type { AccessStore } from './store.ts';

/** What an access token of the identity provider says, once its signature, audience and age are checked. */
export interface AccessToken {
  readonly userId: string;
  readonly scopes: ReadonlySet<Scope>;
}

const allScopes: ReadonlySet<Scope> = new Set(Object.keys(scopes) as Scope[]);

/** SPEC, MCP bearer tokens: a personal token with all scopes, or an access token in the workspace opened last. */
export const createMcpAccess =
  ({
    tokens,
    store,
    verifyAccessToken,
  }: {
    tokens: PersonalTokens;
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
    const member = await store.lastWorkspace(access.userId);
    if (member === undefined) {
      throw new Refusal('Forbidden', 'You have no workspace open. Open the Posthorn app and choose one.');
    }
    const { statisticsTools, ...where } = member;
    return { caller: { ...where, human: false }, scopes: access.scopes, statisticsTools, rateKey: access.userId };
  };
