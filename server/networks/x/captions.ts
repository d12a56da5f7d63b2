import { z } from 'zod';
import type { NetworkPost, Sending, Site } from '#server/networks/network';
import { bytesOf, shaped } from '#server/networks/request';
import { type Finding, firstItem, isVideo, option } from '#server/networks/shared/post';
import { ask } from './api.ts';

export const captionsKey = 'x.captions';
export const captionsLanguageKey = 'x.captions_language';

const Started = z.object({ data: z.object({ id: z.string() }) });

/** Uploads the captions as a separate file, which X links to the video afterwards. The option limits their length. */
export const uploadCaptions = async (site: Site, { account, post }: Sending): Promise<string> => {
  const bytes = Buffer.from(option(post, captionsKey));
  const begun = await ask(site, account, {
    path: '/2/media/upload/initialize',
    json: { media_type: 'text/vtt', total_bytes: bytes.length, media_category: 'subtitles' },
  });
  const { id } = shaped(Started, begun).data;
  const file = { field: 'media', name: 'captions.vtt', mimeType: 'text/vtt', ...bytesOf(bytes) };
  const multipart = { fields: { segment_index: '0' }, file };
  await ask(site, account, { path: `/2/media/upload/${id}/append`, multipart });
  await ask(site, account, { method: 'POST', path: `/2/media/upload/${id}/finalize` });
  return id;
};

/** Called before the post is published, so that the person can still fix captions that X refuses. */
export const attachCaptions = async (
  site: Site,
  { account, post }: Sending,
  { videoId, captionsId }: { readonly videoId: string; readonly captionsId: string },
) => {
  const language = option(post, captionsLanguageKey).toUpperCase();
  await ask(site, account, {
    path: '/2/media/subtitles',
    json: {
      id: videoId,
      media_category: 'TweetVideo',
      subtitles: { id: captionsId, language_code: language, display_name: nameOf(language) },
    },
  });
};

const nameOf = (language: string) =>
  new Intl.DisplayNames('en', { type: 'language' }).of(language.toLowerCase()) ?? language;

export const captionProblems = (post: NetworkPost): Finding[] => {
  const captions = option(post, captionsKey);
  const language = option(post, captionsLanguageKey);
  if (captions === '') return [];
  return [
    !firstItem(post).media.some(isVideo) && {
      path: `options.${captionsKey}`,
      code: 'OptionNotAllowed',
      message: 'Captions belong to a video: add one to the first item, or remove them.',
    },
    !/^WEBVTT(?:\s|$)/.test(captions) && {
      path: `options.${captionsKey}`,
      code: 'OptionValue',
      message: 'Captions are WebVTT, whose first line is WEBVTT: save them in that format.',
      actual: captions.slice(0, 100),
    },
    !/^[a-z]{2}$/i.test(language) && {
      path: `options.${captionsLanguageKey}`,
      code: language === '' ? 'OptionRequired' : 'OptionValue',
      message: 'Captions have a language of two letters, such as en: set Captions language (x.captions_language).',
      ...(language !== '' && { actual: language }),
    },
  ];
};
