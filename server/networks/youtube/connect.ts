import { z } from 'zod';
import { googleConnect } from '#server/networks/families/google/api';
import type { Json, NetworkAccount, Profile, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { ask, withoutChannel } from './api.ts';

/** Playlists and comments. A person may refuse it, and the rest works. */
const forceSsl = 'https://www.googleapis.com/auth/youtube.force-ssl';
export const scopes = [
  'https://www.googleapis.com/auth/youtube.upload',
  'https://www.googleapis.com/auth/youtube.readonly',
  forceSsl,
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
const readChannel = async (
  site: Site,
  account: Pick<NetworkAccount, 'tokens' | 'scopes'>,
): Promise<Profile & { id: string }> => {
  const query = { part: 'snippet', mine: 'true' };
  const [channel] = shaped(Channels, await ask(site, account, { path: '/youtube/v3/channels', query })).items;
  if (channel === undefined) throw withoutChannel();
  const { title, customUrl, thumbnails } = channel.snippet;
  return {
    id: channel.id,
    name: title,
    handle: customUrl?.replace(/^@/, '') || title,
    ...(thumbnails?.default && { avatarUrl: thumbnails.default.url }),
    facts: { mayManage: account.scopes.includes(forceSsl), playlists: await readPlaylists(site, account) },
  };
};

const Playlists = z.object({
  nextPageToken: z.string().optional(),
  items: z.array(z.object({ id: z.string(), snippet: z.object({ title: z.string() }) })).default([]),
});

const mostPages = 4;

const readPlaylists = async (site: Site, account: Pick<NetworkAccount, 'tokens'>) => {
  const playlists: { id: string; title: string }[] = [];
  let pageToken: string | undefined;
  for (let page = 0; page < mostPages; page++) {
    const query = { part: 'snippet', mine: 'true', maxResults: 50, pageToken };
    const answer = shaped(Playlists, await ask(site, account, { path: '/youtube/v3/playlists', query }));
    playlists.push(...answer.items.map(({ id, snippet: { title } }) => ({ id, title })));
    pageToken = answer.nextPageToken;
    if (pageToken === undefined) break;
  }
  return playlists;
};

const Facts = z.object({
  /** Whether playlists and comments were allowed. */
  mayManage: z.boolean().optional(),
  playlists: z.array(z.object({ id: z.string(), title: z.string() })).optional(),
});

export const factsFrom = (facts: Json | undefined) => Facts.safeParse(facts).data ?? {};

export const connect = googleConnect(scopes, async (site, tokens, granted) => [
  await readChannel(site, { tokens, scopes: granted }),
]);

export const profile = async (site: Site, account: NetworkAccount): Promise<Profile> => {
  const { id: _, ...channel } = await readChannel(site, account);
  return channel;
};
