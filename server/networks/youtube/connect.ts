import { z } from 'zod';
import { googleConnect } from '#server/networks/families/google/api';
import type { NetworkAccount, Profile, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { ask, withoutChannel } from './api.ts';

export const scopes = [
  'https://www.googleapis.com/auth/youtube.upload',
  'https://www.googleapis.com/auth/youtube.readonly',
];

const Channels = z.object({
  items: z
    .array(
      z.object({
        id: z.string(),
        snippet: z.object({
          title: z.string(),
          customUrl: z.string().optional(),
          thumbnails: z.object({ default: z.object({ url: z.string() }).optional() }).optional(),
        }),
      }),
    )
    .default([]),
});

/** A token belongs to one channel: Google asks the person which. */
const readChannel = async (site: Site, account: Pick<NetworkAccount, 'tokens'>): Promise<Profile & { id: string }> => {
  const query = { part: 'snippet', mine: 'true' };
  const [channel] = shaped(Channels, await ask(site, account, { path: '/youtube/v3/channels', query })).items;
  if (channel === undefined) throw withoutChannel();
  const { title, customUrl, thumbnails } = channel.snippet;
  return {
    id: channel.id,
    name: title,
    handle: customUrl?.replace(/^@/, '') || title,
    ...(thumbnails?.default && { avatarUrl: thumbnails.default.url }),
    facts: null,
  };
};

export const connect = googleConnect(scopes, async (site, tokens) => [await readChannel(site, { tokens })]);

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> => {
  const { id: _, ...told } = await readChannel(site, account);
  return told;
};
