import { z } from 'zod';
import type { Json, NetworkAccount, OAuthConnect, Profile, Site, Tokens } from '#server/networks/network';
import { askForTokens, authorizeUrl, bothTokens, revokeToken, tokensFrom } from '#server/networks/oauth2';
import { shaped } from '#server/networks/request';
import { createFactsReader } from '#server/networks/shared/facts-reader';
import { ask } from './api.ts';

export const scopes = ['tweet.read', 'tweet.write', 'users.read', 'media.write', 'offline.access'];

const Me = z.object({
  data: z.object({
    id: z.string(),
    name: z.string(),
    username: z.string(),
    profile_image_url: z.string().optional(),
    subscription_type: z.string().optional(),
  }),
});

const readMe = async (site: Site, tokens: Tokens): Promise<Profile & { id: string }> => {
  const query = { 'user.fields': 'profile_image_url,name,username,subscription_type' };
  const { data } = shaped(Me, await ask(site, { tokens }, { path: '/2/users/me', query }));
  return {
    id: data.id,
    name: data.name,
    handle: data.username,
    ...(data.profile_image_url && { avatarUrl: data.profile_image_url }),
    facts: {
      writesLong: paying.includes(data.subscription_type ?? ''),
      isSelfServe: site.setting('X_TIER', '') === 'self-serve',
    } satisfies Facts,
  };
};

const paying = ['Basic', 'Premium', 'PremiumPlus'];

const Facts = z.object({ writesLong: z.boolean().default(false), isSelfServe: z.boolean().default(false) });
type Facts = z.output<typeof Facts>;
const readFacts = createFactsReader(Facts);

/** Whether the account may write longer posts than others. */
export const writesLong = (facts: Json | undefined): boolean => readFacts(facts)?.writesLong ?? false;

/** Whether the operator pays for one of the tiers that X sells without a contract. */
export const isSelfServe = (facts: Json | undefined): boolean => readFacts(facts)?.isSelfServe ?? false;

export const connect: OAuthConnect = {
  kind: 'OAuth',
  pkce: true,
  authorizeUrl: (site, { redirectUri, state, challenge }) =>
    authorizeUrl(`${site.link('web')}/i/oauth2/authorize`, {
      response_type: 'code',
      client_id: site.registration.clientId,
      redirect_uri: redirectUri,
      scope: scopes.join(' '),
      state,
      code_challenge: challenge,
      code_challenge_method: 'S256',
    }),
  exchange: async (site, { code, redirectUri, verifier }) => {
    const answer = await askForTokens(site, {
      url: `${site.host('api')}/2/oauth2/token`,
      form: { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
      basic: true,
    });
    const tokens = tokensFrom(answer, site.now());
    return [{ ...(await readMe(site, tokens)), tokens, scopes: answer.scope?.split(' ') ?? scopes }];
  },
};

export const profile = async (site: Site, { tokens }: NetworkAccount): Promise<Profile> => {
  const { id: _, ...me } = await readMe(site, tokens);
  return me;
};

export const refresh = async (site: Site, { tokens }: NetworkAccount): Promise<Tokens> => {
  const answer = await askForTokens(site, {
    url: `${site.host('api')}/2/oauth2/token`,
    form: { grant_type: 'refresh_token', refresh_token: tokens.refreshToken ?? '' },
    basic: true,
  });
  return tokensFrom(answer, site.now(), tokens);
};

export const revoke = async (site: Site, { tokens }: NetworkAccount): Promise<void> => {
  for (const token of bothTokens(tokens)) {
    await revokeToken(site, { url: `${site.host('api')}/2/oauth2/revoke`, form: { token }, basic: true });
  }
};
