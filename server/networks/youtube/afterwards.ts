import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Sending, Site } from '#server/networks/network';
import { bytesOf, shaped } from '#server/networks/request';
import { option } from '#server/networks/shared/post';
import { asTrouble } from '#server/networks/trouble';
import { ask } from './api.ts';

export const thumbnailKey = 'youtube.thumbnail';
export const playlistKey = 'youtube.playlist';
export const captionsKey = 'youtube.captions';
export const languageKey = 'youtube.language';

/** Steps that follow once the video is published. Each can be repeated, and none of them makes the post fail. */
export const afterwards = ['thumbnail', 'captions', 'playlist'] as const;
type Afterwards = (typeof afterwards)[number];

export const afterwardsOf = ({ post }: Pick<Sending, 'post'>): Afterwards[] =>
  afterwards.filter((step) => {
    if (step === 'thumbnail') return post.optionFiles?.[thumbnailKey] !== undefined;
    return option(post, step === 'captions' ? captionsKey : playlistKey) !== '';
  });

const most = 3;

/** Steps that are left, and notes on those that failed for good. */
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
      await take[step](site, sending, videoId);
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
  captions: 'The video is out without its captions: add them in YouTube Studio.',
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

/** A playlist accepts the same video twice, so it is checked first. */
const addToPlaylist = async (site: Site, { account, post }: Sending, videoId: string) => {
  const playlistId = option(post, playlistKey);
  const path = '/youtube/v3/playlistItems';
  const query = { part: 'id', playlistId, videoId };
  if (shaped(Items, await ask(site, account, { path, query })).items.length > 0) return;
  const snippet = { playlistId, resourceId: { kind: 'youtube#video', videoId } };
  await ask(site, account, { path, query: { part: 'snippet' }, json: { snippet } });
};

/** A track is known by its language and name, so YouTube refuses a second one. */
const addCaptions = async (site: Site, { account, post }: Sending, videoId: string) => {
  const language = option(post, languageKey);
  const snippet = { videoId, language, name: language };
  const boundary = randomUUID();
  const body = Buffer.from(
    [
      `--${boundary}`,
      'Content-Type: application/json; charset=UTF-8',
      '',
      JSON.stringify({ snippet }),
      `--${boundary}`,
      'Content-Type: application/octet-stream',
      '',
      option(post, captionsKey),
      `--${boundary}--`,
      '',
    ].join('\r\n'),
  );
  try {
    await ask(site, account, {
      method: 'POST',
      path: '/upload/youtube/v3/captions',
      query: { part: 'snippet', uploadType: 'multipart' },
      headers: { 'content-type': `multipart/related; boundary=${boundary}` },
      bytes: bytesOf(body),
    });
  } catch (error) {
    if (asTrouble(error).networkCode !== 'captionExists') throw error;
  }
};

const take: Record<Afterwards, typeof setThumbnail> = {
  thumbnail: setThumbnail,
  captions: addCaptions,
  playlist: addToPlaylist,
};
