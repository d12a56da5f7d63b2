import { z } from 'zod';
import type { NetworkAccount, Profile, ServerOAuthConnect, Site, Tokens } from '#server/networks/network';
import { askForTokens, authorizeUrl, revokeToken, tokensFrom } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask, hostOf, troubleOf } from './api.ts';
import { isUsual, readServer, runsMastodonItself, runsPixelfed } from './server-facts.ts';

interface Software {
  readonly name: string;
  readonly usualServer: string;
  readonly scopes: readonly string[];
  readonly pkce: boolean;
  /** Whether a server with this version runs the software. */
  isIt(version: string): boolean;
}

const Registered = z.object({ client_id: z.string().min(1), client_secret: z.string().min(1) });

export const connectTo = ({ name, usualServer, scopes, pkce, isIt }: Software): ServerOAuthConnect => ({
  kind: 'ServerOAuth',
  usualServer,
  pkce,

  register: async (site, { redirectUri, website }) => {
    const { facts } = await readServer(site);
    if (facts.version !== undefined && !isIt(facts.version)) {
      throw new NetworkTrouble('content', `${hostOf(site)} does not run ${name}: check the address of the server.`);
    }
    const path = '/api/v1/apps';
    // One address as text: servers before 4.3 take no list.
    const form = { client_name: 'Posthorn', redirect_uris: redirectUri, scopes: scopes.join(' '), website };
    const answer = await site.request({ url: site.server + path, form });
    if (answer.status === 429 || answer.status >= 500) throw troubleOf(site, path, answer);
    if (answer.status >= 400) {
      throw new NetworkTrouble(
        'content',
        `${hostOf(site)} does not register apps as a ${name} server does (HTTP ${answer.status}): check the address of the server.`,
        { networkCode: String(answer.status) },
      );
    }
    const { client_id, client_secret } = shaped(Registered, answer);
    return { clientId: client_id, clientSecret: client_secret };
  },

  keepsRegistrations: async (site) => {
    const { facts } = await readServer(site);
    return runsMastodonItself(facts) || runsPixelfed(facts.version);
  },

  authorizeUrl: (site, { redirectUri, state, challenge }) =>
    authorizeUrl(`${isUsual(site) ? site.link('server') : site.server}/oauth/authorize`, {
      response_type: 'code',
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      ...(pkce && { code_challenge: challenge, code_challenge_method: 'S256' }),
    }),

  exchange: async (site, { code, redirectUri, verifier }) => {
    const answer = await askForTokens(site, {
      url: `${site.server}/oauth/token`,
      form: {
        grant_type: 'authorization_code',
        code,
        client_id: site.registration.clientId,
        client_secret: site.registration.clientSecret,
        redirect_uri: redirectUri,
        ...(pkce && { code_verifier: verifier }),
      },
    });
    const tokens = tokensFrom(answer, site.now());
    const granted = answer.scope?.split(' ') ?? scopes;
    return [{ ...(await readMe(site, tokens)), tokens, scopes: granted, server: site.server }];
  },
});

const Me = z.object({
  id: z.string(),
  username: z.string(),
  acct: z.string(),
  display_name: z.string().nullish(),
  avatar: z.string().nullish(),
});

const readMe = async (site: Site, tokens: Tokens): Promise<Profile & { id: string }> => {
  const me = shaped(Me, await ask(site, { tokens }, { path: '/api/v1/accounts/verify_credentials' }));
  const { domain, facts } = await readServer(site, tokens);
  return {
    id: toUnique(site, me.id),
    name: me.display_name || me.username,
    handle: `${me.acct}@${domain}`,
    ...(me.avatar && { avatarUrl: me.avatar }),
    facts,
  };
};

/** Every server numbers its accounts from 1, so ids on other servers get the host as a suffix. */
const toUnique = (site: Site, id: string) => (isUsual(site) ? id : `${id}@${hostOf(site)}`);
/** The id without our suffix, as the server knows it. */
export const idAtServer = ({ id }: NetworkAccount): string => id.replace(/@.*/, '');

export const profile = async (site: Site, { tokens }: NetworkAccount): Promise<Profile> => {
  const { id: _, ...me } = await readMe(site, tokens);
  return me;
};

export const revoke = (site: Site, { tokens }: NetworkAccount): Promise<void> => {
  const { clientId, clientSecret } = site.registration;
  return revokeToken(site, {
    url: `${site.server}/oauth/revoke`,
    form: { client_id: clientId, client_secret: clientSecret, token: tokens.accessToken },
  });
};
