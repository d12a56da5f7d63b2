import { z } from 'zod';
import type { Sending, Site } from '#server/networks/network';
import { shaped } from '#server/networks/request';
import { option } from '#server/networks/shared/post';
import { asTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export const thumbnailKey = 'youtube.thumbnail';
export const playlistKey = 'youtube.playlist';

/** What is done to a video that is out already. Each can be repeated, and none of them makes the post fail. */
export const afterwards = ['thumbnail', 'playlist'] as const;
type Afterwards = (typeof afterwards)[number];

export const wanted = ({ post }: Pick<Sending, 'post'>): Afterwards[] =>
  afterwards.filter((step) =>
    step === 'thumbnail' ? post.optionFiles?.[thumbnailKey] !== undefined : option(post, playlistKey) !== '',
  );

const most = 3;

/** What is left to do, and what went wrong for good. */
export interface Left {
  readonly steps: readonly Afterwards[];
  readonly tries: number;
  readonly notes: readonly string[];
}

export const takeSteps = async (site: Site, sending: Sending, videoId: string, left: Left): Promise<Left> => {
  const steps: Afterwards[] = [];
  const notes = [...left.notes];
  const tries = left.tries + 1;
  for (const step of left.steps) {
    try {
      await (step === 'thumbnail' ? setThumbnail : addToPlaylist)(site, sending, videoId);
    } catch (error) {
      const trouble = asTrouble(error);
      if (['temporary', 'unknown'].includes(trouble.kind) && tries < most) steps.push(step);
      else notes.push(noteOf(step, trouble.message));
    }
  }
  return { steps, tries, notes };
};

export const noteOf = (step: Afterwards, why = '') => `${advice[step]} ${why}`.trim();

const advice: Record<Afterwards, string> = {
  thumbnail: 'The video is out without its thumbnail: set it in YouTube Studio.',
  playlist: 'The video is out, but not in the playlist: add it in YouTube Studio.',
};

const setThumbnail = async (site: Site, { account, post }: Sending, videoId: string) => {
  const file = post.optionFiles?.[thumbnailKey];
  if (file === undefined) return;
  await ask(site, account, {
    method: 'POST',
    path: '/upload/youtube/v3/thumbnails/set',
    query: { videoId },
    headers: { 'content-type': file.mimeType },
    bytes: { length: file.bytes, stream: await file.read() },
  });
};

const Items = z.object({ items: z.array(z.unknown()).default([]) });

/** A playlist takes a video twice, so it is asked first. */
const addToPlaylist = async (site: Site, { account, post }: Sending, videoId: string) => {
  const playlistId = option(post, playlistKey);
  const path = '/youtube/v3/playlistItems';
  const query = { part: 'id', playlistId, videoId };
  if (shaped(Items, await ask(site, account, { path, query })).items.length > 0) return;
  const snippet = { playlistId, resourceId: { kind: 'youtube#video', videoId } };
  await ask(site, account, { path, query: { part: 'snippet' }, json: { snippet } });
};
