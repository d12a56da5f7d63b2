import { z } from 'zod';
import { askForAccess, createLongTokens, plainCode } from '#server/networks/families/meta/tokens';
import type { NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { authorizeUrl, TokenAnswer } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';
import { locationScope } from './places.ts';

export const scopes = [
  'threads_basic',
  'threads_content_publish',
  'threads_manage_replies',
  // To find a published reply again when Threads' response was lost.
  'threads_read_replies',
  'threads_manage_insights',
];

/** An app that lacks a permission cannot ask for it, so the operator says whether it has this one. */
const scopesFor = (site: Site) =>
  site.setting('THREADS_LOCATION', 'false') === 'true' ? [...scopes, locationScope] : scopes;

const Me = z.object({
  id: z.string(),
  username: z.string(),
  name: z.string().optional(),
  threads_profile_picture_url: z.string().optional(),
});

const Granted = z.object({ data: z.object({ scopes: z.array(z.string()) }) });

const longTokens = createLongTokens('Threads', 'th');

const readMe = async (site: Site, tokens: Tokens): Promise<Profile & { id: string }> => {
  const query = { fields: 'id,username,name,threads_profile_picture_url' };
  const me = shaped(Me, await ask(site, { tokens }, { path: '/me', query }));
  return {
    id: me.id,
    name: me.name || me.username,
    handle: me.username,
    ...(me.threads_profile_picture_url && { avatarUrl: me.threads_profile_picture_url }),
    facts: null,
  };
};

/**
 * Threads reports scopes only to testers of the app. For others, the first statistics read reveals a missing scope. The
 * authorization code is already used up, so no error here may fail the connection.
 */
const readScopes = async (site: Site, tokens: Tokens) => {
  const query = { input_token: tokens.accessToken };
  try {
    return shaped(Granted, await ask(site, { tokens }, { path: '/debug_token', query })).data.scopes;
  } catch (error) {
    if (error instanceof NetworkTrouble) return scopesFor(site);
    throw error;
  }
};

export const connect: OAuthConnect = {
  kind: 'OAuth',
  pkce: false,
  authorizeUrl: (site, { redirectUri, state }) =>
    authorizeUrl(`${site.link('web')}/oauth/authorize`, {
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      scope: scopesFor(site).join(','),
      response_type: 'code',
      state,
    }),
  exchange: async (site, { code, redirectUri }) => {
    const answer = await askForAccess('Threads', site, {
      url: `${site.host('graph')}/oauth/access_token`,
      form: {
        client_id: site.registration.clientId,
        client_secret: site.registration.clientSecret,
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code: plainCode(code),
      },
    });
    const tokens = await longTokens.exchange(site, shaped(TokenAnswer, answer).access_token);
    return [{ ...(await readMe(site, tokens)), tokens, scopes: await readScopes(site, tokens) }];
  },
};

export const { refresh } = longTokens;

export const profile = async (site: Site, { tokens }: NetworkAccount): Promise<Profile> => {
  const { id: _, ...me } = await readMe(site, tokens);
  return me;
};

/** Revokes everything that the person granted to our app. */
export const revoke = async (site: Site, account: NetworkAccount): Promise<void> => {
  await ask(site, account, { method: 'DELETE', path: '/me/permissions' });
};
