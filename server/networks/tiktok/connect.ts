import { z } from 'zod';
import type { Json, NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { authorizeUrl, TokenAnswer, tokensFrom, tokenTrouble } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { NetworkTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';
import { readCreator } from './creator.ts';

const drafts = 'video.upload';
export const scopes = ['user.info.basic', 'video.publish', drafts, 'video.list'];

/** A refusal may come with HTTP 200. */
const Refused = z.object({ error: z.string().min(1) });

const askForTokens = async (site: Site, form: Readonly<Record<string, string>>): Promise<TokenAnswer> => {
  const { clientId, clientSecret } = site.registration;
  const answer = await site.request({
    url: `${site.host('api')}/v2/oauth/token/`,
    form: { client_key: clientId, client_secret: clientSecret, ...form },
  });
  if (answer.status >= 400 || Refused.safeParse(answer.json).success) throw tokenTrouble(answer, site.now());
  return shaped(TokenAnswer, answer);
};

const Me = z.object({
  data: z.object({
    user: z.object({ open_id: z.string(), display_name: z.string(), avatar_url: z.string().optional() }),
  }),
});

const readMe = async (
  site: Site,
  { tokens, scopes }: Pick<NetworkAccount, 'tokens' | 'scopes'>,
  before?: Profile,
): Promise<Profile & { id: string }> => {
  const query = { fields: 'open_id,display_name,avatar_url' };
  const { user } = shaped(Me, await ask(site, { tokens }, { path: '/user/info/', query })).data;
  const creator = await readCreatorIfAllowed(site, tokens);
  return {
    id: user.open_id,
    name: user.display_name,
    handle: creator?.username ?? before?.handle ?? user.display_name,
    ...(user.avatar_url && { avatarUrl: user.avatar_url }),
    facts: {
      ...factsFrom(before?.facts),
      ...(creator && {
        nickname: creator.nickname,
        privacyOptions: creator.privacyOptions,
        maxVideoSeconds: creator.maxVideoSeconds,
        commentsOff: creator.commentsOff,
        duetsOff: creator.duetsOff,
        stitchesOff: creator.stitchesOff,
      }),
      mayDraft: scopes.includes(drafts),
    },
  };
};

/** An account that has reached its daily limit, or did not allow posting, can still be connected. */
const readCreatorIfAllowed = async (site: Site, tokens: Tokens) => {
  try {
    return await readCreator(site, { tokens });
  } catch (error) {
    const expected = ['permission', 'content', 'rateLimited'];
    if (error instanceof NetworkTrouble && expected.includes(error.kind)) return undefined;
    throw error;
  }
};

const Facts = z.object({
  nickname: z.string().optional(),
  privacyOptions: z.array(z.string()).optional(),
  maxVideoSeconds: z.number().positive().optional(),
  commentsOff: z.boolean().optional(),
  duetsOff: z.boolean().optional(),
  stitchesOff: z.boolean().optional(),
  /** Whether drafts were allowed. */
  mayDraft: z.boolean().optional(),
});

export const factsFrom = (facts: Json | undefined) => Facts.safeParse(facts).data ?? {};

export const connect: OAuthConnect = {
  kind: 'OAuth',
  pkce: false,
  authorizeUrl: (site, { redirectUri, state }) =>
    authorizeUrl(`${site.link('web')}/v2/auth/authorize/`, {
      client_key: site.registration.clientId,
      redirect_uri: redirectUri,
      state,
      response_type: 'code',
      scope: scopes.join(','),
    }),
  exchange: async (site, { code, redirectUri }) => {
    const answer = await askForTokens(site, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
    const tokens = tokensFrom(answer, site.now());
    const granted = { tokens, scopes: answer.scope?.split(/[\s,]+/) ?? scopes };
    return [{ ...(await readMe(site, granted)), ...granted }];
  },
};

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> => {
  const { id: _, ...me } = await readMe(site, account, account);
  return me;
};

export const refresh = async (site: Site, { tokens }: NetworkAccount): Promise<Tokens> => {
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken ?? '' };
  return tokensFrom(await askForTokens(site, form), site.now(), tokens);
};

export const revoke = async (site: Site, { tokens }: NetworkAccount): Promise<void> => {
  const { clientId, clientSecret } = site.registration;
  const answer = await site.request({
    url: `${site.host('api')}/v2/oauth/revoke/`,
    form: { client_key: clientId, client_secret: clientSecret, token: tokens.accessToken },
  });
  if (answer.status >= 400 || Refused.safeParse(answer.json).success) throw tokenTrouble(answer, site.now());
};
