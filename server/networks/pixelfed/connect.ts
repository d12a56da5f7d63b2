import { connectTo } from '#server/networks/families/mastodon/connect';
import { runsPixelfed } from '#server/networks/families/mastodon/server-facts';
import type { NetworkAccount, Site, Tokens } from '#server/networks/network';
import { askForTokens, tokensFrom } from '#server/networks/oauth2';

// Pixelfed has no narrower scopes.
export const scopes = ['read', 'write'];

export const connect = connectTo({
  name: 'Pixelfed',
  usualServer: 'pixelfed.social',
  scopes,
  pkce: false,
  isIt: runsPixelfed,
});

export const refresh = async (site: Site, { tokens, scopes }: NetworkAccount): Promise<Tokens> => {
  const answer = await askForTokens(site, {
    url: `${site.server}/oauth/token`,
    form: {
      grant_type: 'refresh_token',
      refresh_token: tokens.refreshToken ?? '',
      client_id: site.registration.clientId,
      client_secret: site.registration.clientSecret,
      scope: scopes.join(' '),
    },
  });
  return tokensFrom(answer, site.now(), tokens);
};
