import { z } from 'zod';
import { askForAccess, createLongTokens, plainCode } from '#server/networks/families/meta/tokens';
import type { NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { authorizeUrl } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { ask } from './api.ts';

export const scopes = [
  'instagram_business_basic',
  'instagram_business_content_publish',
  'instagram_business_manage_comments',
  'instagram_business_manage_insights',
];

/** Documented as a list with one entry and comma-separated text; also seen as an object and a list. */
const ShortToken = z.object({
  access_token: z.string().min(1),
  permissions: z.union([z.array(z.string()), z.string().transform((text) => text.split(','))]),
});
const ShortAnswer = z.union([
  ShortToken,
  z.object({ data: z.tuple([ShortToken]) }).transform(({ data: [token] }) => token),
]);

/** The id of the first answer is a number too large for JSON, so it is read here, as text. */
const Me = z.object({
  user_id: z.coerce.string(),
  username: z.string(),
  name: z.string().optional(),
  profile_picture_url: z.string().optional(),
});

const longTokens = createLongTokens('Instagram', 'ig');

const readMe = async (site: Site, tokens: Tokens): Promise<Profile & { id: string }> => {
  const query = { fields: 'user_id,username,name,profile_picture_url' };
  const me = shaped(Me, await ask(site, { tokens }, { path: '/me', query }));
  return {
    id: me.user_id,
    name: me.name || me.username,
    handle: me.username,
    ...(me.profile_picture_url && { avatarUrl: me.profile_picture_url }),
    facts: null,
  };
};

export const connect: OAuthConnect = {
  kind: 'OAuth',
  pkce: false,
  authorizeUrl: (site, { redirectUri, state }) =>
    authorizeUrl(`${site.link('web')}/oauth/authorize`, {
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: scopes.join(','),
      state,
      enable_fb_login: '0',
    }),
  exchange: async (site, { code, redirectUri }) => {
    const answer = await askForAccess('Instagram', site, {
      url: `${site.host('login')}/oauth/access_token`,
      multipart: {
        fields: {
          client_id: site.registration.clientId,
          client_secret: site.registration.clientSecret,
          grant_type: 'authorization_code',
          redirect_uri: redirectUri,
          code: plainCode(code),
        },
      },
    });
    const short = shaped(ShortAnswer, answer);
    const tokens = await longTokens.exchange(site, short.access_token);
    return [{ ...(await readMe(site, tokens)), tokens, scopes: short.permissions }];
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
