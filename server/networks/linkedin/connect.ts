import { z } from 'zod';
import { ask } from '#server/networks/families/linkedin/api';
import { createConnect } from '#server/networks/families/linkedin/connect';
import type { NetworkAccount, Profile, Site, Tokens } from '#server/networks/network';
import { shaped } from '#server/networks/request';

const Me = z.object({ sub: z.string(), name: z.string(), picture: z.string().optional() });

const readMe = async (site: Site, tokens: Tokens): Promise<Profile & { id: string }> => {
  const { sub, name, picture } = shaped(Me, await ask(site, { tokens }, { path: '/v2/userinfo' }));
  // LinkedIn does not tell the name in the profile's address.
  return { id: sub, name, handle: name, ...(picture && { avatarUrl: picture }), facts: null };
};

export const scopes = ['openid', 'profile', 'w_member_social'];

export const connect = createConnect(scopes, async (site, tokens) => [await readMe(site, tokens)]);

export const profile = async (site: Site, { tokens }: NetworkAccount): Promise<Profile> => {
  const { id: _, ...me } = await readMe(site, tokens);
  return me;
};
