import type { Constraints, Fold } from '#contracts/providers';
import { asStory, firstCommentOption, notOnStories, typeOption } from '#server/networks/families/meta/post-types';
import { longTokensAheadMs } from '#server/networks/families/meta/tokens';
import type { Network } from '#server/networks/network';
import { choices, comments, MB, minutes, seconds } from '#server/networks/shared/limits';
import { coverInside, eachItem, firstItem, isVideo, list, option, problems } from '#server/networks/shared/post';
import { countedAsUnits } from '#server/networks/shared/text';
import { app } from './app.ts';
import { connect, profile, refresh, revoke } from './connect.ts';
import { confirm, coverKey, isComment, type Prepared, parts, prepare, send } from './publish.ts';
import { readMetrics } from './statistics.ts';
import { isTag, tagsKey } from './tags.ts';

// Widths outside 320 to 1440 are rescaled, not refused.
const images = { max: 10, mimeTypes: ['image/jpeg'], maxBytes: 8 * MB, maxAltLength: 1_000 };

/** 300 MB is documented, 1 GB reported. */
const videos = {
  max: 10,
  mimeTypes: ['video/mp4', 'video/quicktime'],
  maxBytes: 300 * MB,
  minDurationMs: seconds(3),
  maxDurationMs: minutes(15),
  minRatio: 0.01,
  maxRatio: 10,
  maxWidth: 1_920,
  maxFrameRate: 60,
  videoCodecs: ['h264', 'hevc'],
  audioCodecs: ['aac'],
};

const maxText = 2_200;

/** As reported for 2026; 30 before. */
const mostHashtags = 5;
const hashtag = /(?<![\p{L}\p{N}_&])#[\p{L}\p{N}_]+/gu;

const fold: Fold = { at: 125, unit: 'Characters', isObserved: false };

const constraints: Constraints = {
  characters: { max: maxText, ...countedAsUnits, required: false, fold },
  media: {
    min: 1,
    max: 10,
    mixed: true,
    images: { ...images, minRatio: 3 / 4, maxRatio: 1.91 },
    videos,
    transport: 'PublicUrl',
  },
  thread: comments,
  metrics: ['views', 'reach', 'likes', 'comments', 'shares', 'saves'],
};

const reel: Constraints = {
  ...constraints,
  media: { min: 1, max: 1, mixed: false, videos: { ...videos, max: 1 }, transport: 'PublicUrl' },
};

const story: Constraints = {
  ...asStory(constraints, {
    // Each file is a story of its own.
    min: 1,
    max: 10,
    mixed: true,
    // 9:16 fills the screen; other ratios are cropped, not refused.
    images,
    videos: { ...videos, maxBytes: 100 * MB, maxDurationMs: seconds(60) },
    transport: 'PublicUrl',
  }),
  // SPEC, Statistics rules 7.
  metrics: ['views', 'reach', 'shares'],
};

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'instagram',
  name: 'Instagram',
  alsoCalled: ['instagram_standalone', 'instagram_direct'],
  badge: { code: 'Ig', color: '#BE2F76' },
  settings: ['INSTAGRAM_APP_ID', 'INSTAGRAM_APP_SECRET'],
  app,
  hosts: {
    web: 'https://www.instagram.com',
    login: 'https://api.instagram.com',
    graph: 'https://graph.instagram.com',
  },
  paidPerPost: false,
  publishPermissions: ['instagram_business_content_publish'],
  postQuota: { posts: 100, hours: 24 },
  statisticsPermission: 'instagram_business_manage_insights',
  constraints,
  options: [
    typeOption('instagram', 'images and videos without text, each of them on its own'),
    firstCommentOption('instagram', maxText),
    {
      key: 'instagram.collaborators',
      label: 'Collaborators',
      type: 'List',
      maxLength: 3,
      description: 'Up to three usernames, separated by commas, that are invited as authors. Not on stories.',
    },
    {
      key: 'instagram.share_to_feed',
      label: 'Show reel in the feed',
      type: 'Boolean',
      media: ['Video'],
      default: 'true',
      description: 'Shows a reel in the feed too, not only among the reels.',
    },
    {
      key: 'instagram.trial_reel',
      label: 'Trial reel',
      type: 'Choice',
      media: ['Video'],
      choices: choices({
        no: 'No',
        MANUAL: 'Yes, I show it to followers myself',
        SS_PERFORMANCE: 'Yes, shown to followers when it does well',
      }),
      default: 'no',
      description: 'A trial reel is shown to people who do not follow you first.',
    },
    {
      key: tagsKey,
      label: 'Tagged people',
      type: 'List',
      maxLength: 20,
      description:
        'Up to 20 usernames separated by commas, tagged on the first image, reel or story. `anna:0.3:0.7` says where on an image: from the left and from the top, 0 to 1.',
    },
    {
      key: 'instagram.location_id',
      label: 'Location',
      type: 'Text',
      maxLength: 30,
      description:
        'Id of the Facebook Page of a place, digits only. On Facebook it is on that Page under About, Page transparency; an account that signs in with Instagram cannot search for places. Not on stories.',
    },
    {
      key: coverKey,
      label: 'Cover of a reel',
      type: 'Media',
      media: ['Video'],
      file: { mimeTypes: ['image/jpeg'], maxBytes: 8 * MB },
      description: 'A picture that stands for the reel; 9:16 fits best.',
    },
    {
      key: 'instagram.cover_ms',
      label: 'Moment of the cover',
      type: 'Integer',
      unitMs: 1,
      media: ['Video'],
      description:
        'The moment of a reel that its cover shows, in milliseconds from the start; without a picture for it.',
    },
  ],
  constraintsFor: (post) => {
    const type = option(post, 'instagram.type');
    return type === 'reel' ? reel : type === 'story' ? story : constraints;
  },
  check: (post) => {
    const { media } = firstItem(post);
    // Instagram turns a post of one video into a reel by itself.
    const isReel = option(post, 'instagram.type') !== 'story' && media.length === 1 && media.every(isVideo);
    return problems([
      ...notOnStories(post, 'instagram', ['first_comment', 'collaborators', 'location_id']),
      ...list(post, tagsKey)
        .filter((entry) => !isTag(entry))
        .slice(0, 1)
        .map((entry) => ({
          path: `options.${tagsKey}`,
          code: 'OptionValue' as const,
          message: `${entry} is neither a username nor one with its place, such as anna:0.3:0.7.`,
          actual: entry,
        })),
      list(post, tagsKey).length > 0 &&
        media.length > 1 &&
        option(post, 'instagram.type') !== 'story' &&
        media.every(isVideo) && {
          path: `options.${tagsKey}`,
          code: 'OptionNotAllowed',
          message:
            'In a carousel people are tagged on images, and this one has only videos: add an image, or remove the tags.',
        },
      !/^\d*$/.test(option(post, 'instagram.location_id')) && {
        path: 'options.instagram.location_id',
        code: 'OptionValue',
        message: 'instagram.location_id must be the id of a Facebook Page, which has only digits.',
        actual: option(post, 'instagram.location_id'),
      },
      ...[coverKey, 'instagram.cover_ms'].map(
        (key) =>
          option(post, key) !== '' &&
          media.length > 0 &&
          !isReel && {
            path: `options.${key}`,
            code: 'OptionNotAllowed' as const,
            message: 'Only a reel has a cover: use one video, or remove the option.',
          },
      ),
      coverInside(post, 'instagram.cover_ms', 1),
      ['MANUAL', 'SS_PERFORMANCE'].includes(option(post, 'instagram.trial_reel')) &&
        !isReel && {
          path: 'options.instagram.trial_reel',
          code: 'OptionNotAllowed',
          message: 'Only a reel can be on trial: use one video, or remove the option.',
        },
    ]);
  },
  surprises: (post) =>
    problems(
      eachItem(post, ({ body }, path) => {
        const hashtags = body.match(hashtag)?.length ?? 0;
        return [
          hashtags > mostHashtags && {
            path: `${path}.body`,
            code: 'ManyHashtags',
            message: `Instagram is reported to take ${mostHashtags} hashtags: it may refuse the post, or hide the others.`,
            limit: mostHashtags,
            actual: hashtags,
          },
        ];
      }),
    ),
  connect,
  refreshAheadMs: longTokensAheadMs,
  refresh,
  profile,
  revoke,
  parts,
  prepare,
  send,
  // A container is published once; a comment has none.
  isRepeatable: (sending) => !isComment(sending),
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics,
} satisfies Network<Prepared>;
