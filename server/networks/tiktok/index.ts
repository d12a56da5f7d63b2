import type { Constraints, Fold } from '#contracts/providers';
import type { Json, Network, NetworkPost, Problem } from '#server/networks/network';
import { choices, GB, MB, minutes, noThread, seconds } from '#server/networks/shared/limits';
import {
  coverInside,
  eachMedia,
  firstItem,
  isOn,
  isVideo,
  itemsOf,
  option,
  problems,
} from '#server/networks/shared/post';
import { app } from './app.ts';
import { confirm } from './confirm.ts';
import { connect, factsFrom, profile, refresh, revoke } from './connect.ts';
import { labelOf, privacyLabels } from './creator.ts';
import { isDraft, type Prepared, prepare, send } from './publish.ts';
import { readMetrics } from './statistics.ts';

const counting = 'UTF-16 units, hashtags included: a letter is 1, most emoji are 2 or more, a URL counts in full';

const images = { max: 35, mimeTypes: ['image/jpeg', 'image/webp'], maxBytes: 20 * MB, maxPixels: 1_920 * 1_080 };

const videos = {
  max: 1,
  mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'],
  maxBytes: 4 * GB,
  minDurationMs: seconds(3),
  maxDurationMs: minutes(10),
  maxWidth: 4_096,
  maxFrameRate: 60,
  videoCodecs: ['h264', 'hevc', 'vp8', 'vp9'],
};

const fold: Fold = { at: 2, unit: 'Lines', isObserved: false };

const constraints: Constraints = {
  characters: {
    max: 2_200,
    counting: `${counting}; with photos up to 4000`,
    rule: 'Utf16Units',
    required: false,
    fold,
  },
  media: {
    min: 1,
    max: 35,
    mixed: false,
    images,
    videos,
    transport: 'Upload',
  },
  thread: noThread,
  metrics: ['views', 'likes', 'comments', 'shares'],
};

const photos: Constraints = {
  ...constraints,
  characters: { max: 4_000, counting, rule: 'Utf16Units', required: false, fold },
  media: { min: 1, max: 35, mixed: false, images, transport: 'PublicUrl' },
};

/** An account may be allowed less than ten minutes. */
const forAccount = (facts: Json | undefined): Constraints => {
  const maxDurationMs = Math.min(seconds(factsFrom(facts).maxVideoSeconds ?? Infinity), videos.maxDurationMs);
  return { ...constraints, media: { ...constraints.media, videos: { ...videos, maxDurationMs } } };
};

const coverPhotoOutside = (post: NetworkPost) => {
  const photos = firstItem(post).media.filter((media) => !isVideo(media)).length;
  const cover = Number(option(post, 'tiktok.cover_photo'));
  return photos > 0 && (cover < 1 || cover > photos);
};

/** Options that the account's own settings, or the post, rule out. */
const disabledFor = (post: NetworkPost, facts: Json | undefined): Record<string, string> => {
  const { commentsOff, duetsOff, stitchesOff } = factsFrom(facts);
  const { media } = firstItem(post);
  const isPhotos = media.length > 0 && !media.some(isVideo);
  const off = (what: string) => `The account has ${what} switched off in its TikTok settings.`;
  const videosOnly = 'TikTok offers this only for videos.';
  return {
    ...(commentsOff && { 'tiktok.allow_comment': off('comments') }),
    ...((isPhotos || duetsOff) && { 'tiktok.allow_duet': isPhotos ? videosOnly : off('duets') }),
    ...((isPhotos || stitchesOff) && { 'tiktok.allow_stitch': isPhotos ? videosOnly : off('stitches') }),
  };
};

const musicUsage = 'https://www.tiktok.com/legal/page/global/music-usage-confirmation/en';
const brandedContent = 'https://www.tiktok.com/legal/page/global/bc-policy/en';

/** TikTok's audit requires that people see which account they post as and what they agree to. */
const declarationOf = (post: NetworkPost, facts: Json | undefined): Problem => {
  const { nickname } = factsFrom(facts);
  const policy = isOn(post, 'tiktok.brand_content') ? `Branded Content Policy (${brandedContent}) and ` : '';
  const who = nickname === undefined ? '' : `This posts as ${nickname}. `;
  const message = `${who}By posting, you agree to TikTok's ${policy}Music Usage Confirmation (${musicUsage}).`;
  return { path: 'content', code: 'Declaration', message };
};

const side = { min: 360, max: 4_096 };

/**
 * "A time limit is not guaranteed": TikTok names "more than two minutes" for 4 GB. A publish id, where we have one, tells more
 * than this.
 */
const holdMs = minutes(15);

export default {
  key: 'tiktok',
  name: 'TikTok',
  badge: { code: 'Tt', color: '#0B7280' },
  settings: ['TIKTOK_CLIENT_KEY', 'TIKTOK_CLIENT_SECRET'],
  app,
  hosts: { web: 'https://www.tiktok.com', api: 'https://open.tiktokapis.com' },
  paidPerPost: false,
  publishPermissions: ['video.publish', 'video.upload'],
  statisticsPermission: 'video.list',
  constraints,
  options: [
    {
      key: 'tiktok.mode',
      label: 'Send as',
      type: 'Choice',
      choices: choices({ post: 'Post', draft: 'Draft, finished in the TikTok app' }),
      default: 'post',
      description:
        'A draft goes to the inbox of the account. Nothing is public until somebody finishes it in the TikTok app.',
    },
    {
      // TikTok's rules: people choose it for every post, and nothing else is switched on before they do.
      key: 'tiktok.privacy',
      label: 'Who can see it',
      type: 'Choice',
      choices: choices(privacyLabels),
      required: true,
      description:
        'Who can see the post. TikTok wants it chosen for every post, and asks again for a draft; some accounts cannot choose all of them.',
    },
    {
      key: 'tiktok.allow_comment',
      label: 'Allow comments',
      type: 'Boolean',
      default: 'false',
      description: 'Whether people may comment.',
    },
    {
      key: 'tiktok.allow_duet',
      label: 'Allow duets',
      type: 'Boolean',
      media: ['Video'],
      default: 'false',
      description: 'Whether people may make a duet with the video. Videos only.',
    },
    {
      key: 'tiktok.allow_stitch',
      label: 'Allow stitches',
      type: 'Boolean',
      media: ['Video'],
      default: 'false',
      description: 'Whether people may use a piece of the video in their own. Videos only.',
    },
    {
      key: 'tiktok.brand_content',
      label: 'Paid partnership',
      type: 'Boolean',
      default: 'false',
      description: 'Says that the post promotes another business. Not on posts that only you can see.',
    },
    {
      key: 'tiktok.brand_organic',
      label: 'Your own brand',
      type: 'Boolean',
      default: 'false',
      description: 'Says that the post promotes your own business.',
    },
    {
      key: 'tiktok.ai_generated',
      label: 'Made with AI',
      type: 'Boolean',
      default: 'false',
      description: 'Labels the video as generated by AI.',
    },
    {
      key: 'tiktok.title',
      label: 'Photo title',
      type: 'Text',
      media: ['Image'],
      maxLength: 90,
      description: 'Title of a photo post; the text is its description. A video has only the text.',
    },
    {
      key: 'tiktok.auto_music',
      label: 'Add music',
      type: 'Boolean',
      media: ['Image'],
      default: 'false',
      description: 'TikTok adds music of its choice to a photo post.',
    },
    {
      key: 'tiktok.cover_ms',
      label: 'Cover',
      type: 'Integer',
      unitMs: 1,
      media: ['Video'],
      default: '0',
      description: 'The moment of the video that its cover shows, in milliseconds from the start.',
    },
    {
      key: 'tiktok.cover_photo',
      label: 'Cover photo',
      type: 'Integer',
      media: ['Image'],
      default: '1',
      description: 'Which of the photos is the cover; 1 is the first.',
    },
  ],
  constraintsFor: (post, facts) => {
    const { media } = firstItem(post);
    return media.length > 0 && !media.some(isVideo) ? photos : forAccount(facts);
  },
  choicesFor: (key, facts) =>
    key === 'tiktok.privacy'
      ? factsFrom(facts).privacyOptions?.map((value) => ({ value, label: labelOf(value) }))
      : undefined,
  check: (post, facts) =>
    problems([
      isDraft(post) &&
        factsFrom(facts).mayDraft === false && {
          path: 'options.tiktok.mode',
          code: 'OptionNotAllowed',
          message: 'The account did not allow drafts: connect it again and allow everything, or send it as a post.',
        },
      coverPhotoOutside(post) && {
        path: 'options.tiktok.cover_photo',
        code: 'OptionValue',
        message: 'The cover has to be one of the photos: 1 is the first.',
        limit: firstItem(post).media.length,
        actual: option(post, 'tiktok.cover_photo'),
      },
      isOn(post, 'tiktok.brand_content') &&
        option(post, 'tiktok.privacy') === 'SELF_ONLY' && {
          path: 'options.tiktok.brand_content',
          code: 'OptionNotAllowed',
          message: 'A paid partnership cannot be visible only to you: change who can see it.',
        },
      isOn(post, 'tiktok.ai_generated') &&
        firstItem(post).media.length > 0 &&
        !firstItem(post).media.some(isVideo) && {
          path: 'options.tiktok.ai_generated',
          code: 'OptionNotAllowed',
          message: 'TikTok labels only videos as made with AI: remove the label, and say it in the text.',
        },
      coverInside(post, 'tiktok.cover_ms', 1),
      ...eachMedia(
        post,
        (media, path) =>
          isVideo(media) &&
          (Math.min(media.width, media.height) < side.min || Math.max(media.width, media.height) > side.max) && {
            path,
            code: Math.min(media.width, media.height) < side.min ? 'MediaTooSmall' : 'MediaTooLarge',
            message: 'The sides of a video measure 360 to 4096 pixels: choose another.',
            limit: `${side.min}-${side.max}`,
            actual: `${media.width}x${media.height}`,
          },
      ),
    ]),
  disabledOptions: disabledFor,
  surprises: (post, facts) => [
    ...Object.entries(disabledFor(post, facts))
      .filter(([key]) => isOn(post, key))
      .map(([key, why]) => ({ path: `options.${key}`, code: 'OptionUnused' as const, message: why })),
    ...(isDraft(post) ? [] : [declarationOf(post, facts)]),
    ...(isDraft(post)
      ? problems([
          {
            path: 'options.tiktok.mode',
            code: 'Draft',
            message:
              'TikTok gets a draft: nothing is public until somebody finishes it in the TikTok app, and there are no statistics.',
          },
          firstItem(post).media.some(isVideo) &&
            firstItem(post).body.trim() !== '' && {
              path: 'content.0.body',
              code: 'TextLeftOut',
              message: 'TikTok accepts no text with a draft of a video: it has to be pasted in the TikTok app.',
            },
        ])
      : []),
  ],
  connect,
  refreshAheadMs: minutes(120),
  refresh,
  profile,
  revoke,
  parts: itemsOf,
  prepare,
  send,
  confirm,
  holdMs,
  postsPerRead: 20,
  readMetrics,
} satisfies Network<Prepared>;
