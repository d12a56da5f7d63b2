import type { NetworkAccount, OAuthConnect, Site, Tokens } from '#server/networks/network';
import {
  askForTokens,
  authorizeUrl,
  bothTokens,
  cannotRefresh,
  revokeToken,
  tokensFrom,
} from '#server/networks/oauth2';

const tokenUrl = (site: Site) => `${site.host('web')}/oauth/v2/accessToken`;

const credentials = ({ registration }: Site) => ({
  client_id: registration.clientId,
  client_secret: registration.clientSecret,
});

/** `accountsOf` reads the accounts that the new access can post as. */
export const createConnect = (
  scopes: readonly string[],
  accountsOf: (
    site: Site,
    tokens: Tokens,
    granted: readonly string[],
  ) => Promise<readonly Omit<NetworkAccount, 'tokens' | 'scopes'>[]>,
): OAuthConnect => ({
  kind: 'OAuth',
  pkce: false,
  authorizeUrl: (site, { redirectUri, state }) =>
    authorizeUrl(`${site.link('web')}/oauth/v2/authorization`, {
      response_type: 'code',
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      state,
      scope: scopes.join(' '),
    }),
  exchange: async (site, { code, redirectUri }) => {
    const answer = await askForTokens(site, {
      url: tokenUrl(site),
      form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, ...credentials(site) },
    });
    const tokens = tokensFrom(answer, site.now());
    // Separated by commas or by spaces, depending on the version.
    const granted = answer.scope?.split(/[\s,]+/).filter((scope) => scope !== '') ?? scopes;
    return (await accountsOf(site, tokens, granted)).map((account) => ({ ...account, tokens, scopes: granted }));
  },
});

/** Renewing does not prolong LinkedIn's refresh tokens: after a year the member signs in again. */
export const signInEnd = ({ refreshToken, expiresAt, refreshExpiresAt }: Tokens) =>
  refreshToken === undefined ? expiresAt : refreshExpiresAt;

/** Only apps that LinkedIn approved for more than self-service get a refresh token. */
export const refresh = async (site: Site, { tokens }: NetworkAccount): Promise<Tokens> => {
  if (tokens.refreshToken === undefined) return cannotRefresh();
  const answer = await askForTokens(site, {
    url: tokenUrl(site),
    form: { grant_type: 'refresh_token', refresh_token: tokens.refreshToken, ...credentials(site) },
  });
  return tokensFrom(answer, site.now(), tokens);
};

export const revoke = async (site: Site, { tokens }: NetworkAccount): Promise<void> => {
  for (const token of bothTokens(tokens)) {
    await revokeToken(site, { url: `${site.host('web')}/oauth/v2/revoke`, form: { token, ...credentials(site) } });
  }
};
