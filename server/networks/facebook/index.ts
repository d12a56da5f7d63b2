import type { Constraints, Fold } from '#contracts/providers';
import { asStory, firstCommentOption, notOnStories, typeOption } from '#server/networks/families/meta/post-types';
import type { Network } from '#server/networks/network';
import { cannotRefresh } from '#server/networks/oauth2';
import { comments, GB, MB, minutes, seconds } from '#server/networks/shared/limits';
import {
  commentsWithin,
  eachMedia,
  firstItem,
  hasMedia,
  isVideo,
  itemsAndFirstComment,
  option,
  problems,
} from '#server/networks/shared/post';
import { countedAsUnits } from '#server/networks/shared/text';
import { app } from './app.ts';
import { connect, profile, revoke } from './connect.ts';
import { confirm, coverKey, type Prepared, prepare, send, titleKey } from './publish.ts';
import { readMetrics } from './statistics.ts';

const images = {
  max: 10,
  mimeTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/bmp', 'image/tiff'],
  maxBytes: 10 * MB,
};

const videos = {
  max: 1,
  mimeTypes: ['video/mp4', 'video/quicktime'],
  maxBytes: 10 * GB,
  maxDurationMs: minutes(240),
};

const fold: Fold = { at: 5, unit: 'Lines', isObserved: false };

const constraints: Constraints = {
  characters: { max: 63_206, ...countedAsUnits, required: false, fold },
  media: { min: 0, max: 10, mixed: false, images, videos, transport: 'Upload' },
  thread: comments,
  metrics: ['views', 'reach', 'likes', 'comments', 'shares'],
};

const reel: Constraints = {
  ...constraints,
  media: {
    min: 1,
    max: 1,
    mixed: false,
    // 9:16, with room for a width that was rounded, such as 608 x 1080.
    videos: { ...videos, minDurationMs: seconds(3), maxDurationMs: seconds(90), minRatio: 0.55, maxRatio: 0.57 },
    transport: 'Upload',
  },
};

const story: Constraints = {
  ...asStory(constraints, {
    min: 1,
    max: 1,
    mixed: false,
    images: { ...images, max: 1 },
    videos: { ...videos, maxDurationMs: seconds(60) },
    transport: 'Upload',
  }),
  // It is unconfirmed which metrics Facebook has for the story of a Page.
  metrics: [],
};

/** Widely known, though not in the Graph API reference. */
const maxComment = 8_000;

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'facebook',
  name: 'Facebook Page',
  alsoCalled: ['facebook_page'],
  badge: { code: 'Fb', color: '#1A5CCB' },
  settings: ['FACEBOOK_APP_ID', 'FACEBOOK_APP_SECRET'],
  app,
  hosts: {
    web: 'https://www.facebook.com',
    graph: 'https://graph.facebook.com',
    video: 'https://graph-video.facebook.com',
  },
  paidPerPost: false,
  publishPermissions: ['pages_manage_posts'],
  statisticsPermission: 'read_insights',
  constraints,
  options: [
    typeOption('facebook'),
    {
      key: 'facebook.link',
      label: 'Link preview',
      type: 'Url',
      media: ['None'],
      description: 'Shows a preview of this link below the text. Only on posts without media.',
    },
    firstCommentOption('facebook', maxComment),
    {
      key: titleKey,
      label: 'Video title',
      type: 'Text',
      media: ['Video'],
      maxLength: 255,
      description: 'Title of a video or reel.',
    },
    {
      key: coverKey,
      label: 'Cover',
      type: 'Media',
      media: ['Video'],
      file: { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 10 * MB },
      description: 'A picture that stands for a video or reel. It is set right after the video is out.',
    },
  ],
  constraintsFor: (post) => {
    const type = option(post, 'facebook.type');
    return type === 'reel' ? reel : type === 'story' ? story : constraints;
  },
  check: (post) =>
    problems([
      option(post, 'facebook.link') !== '' &&
        hasMedia(post) && {
          path: 'options.facebook.link',
          code: 'OptionNotAllowed',
          message: 'A link preview and media exclude each other: remove one, or put the link into the text.',
        },
      ...notOnStories(post, 'facebook', ['first_comment', 'video_title', 'cover']),
      ...[titleKey, coverKey].map(
        (key) =>
          option(post, key) !== '' &&
          option(post, 'facebook.type') !== 'story' &&
          !firstItem(post).media.some(isVideo) && {
            path: `options.${key}`,
            code: 'OptionNotAllowed' as const,
            message: 'Only a video or reel takes this: add a video, or remove it.',
          },
      ),
      ...commentsWithin(post, maxComment),
      ...eachMedia(
        post,
        (media, path) =>
          option(post, 'facebook.type') === 'reel' &&
          isVideo(media) &&
          (media.width < 540 || media.height < 960) && {
            path,
            code: 'MediaTooSmall',
            message: 'A reel needs at least 540 x 960 pixels: choose a larger video.',
            limit: '540x960',
            actual: `${media.width}x${media.height}`,
          },
      ),
    ]),
  connect,
  // The token of a Page does not expire.
  refreshAheadMs: 0,
  refresh: cannotRefresh,
  profile,
  revoke,
  // One person may have connected many Pages.
  revokesWholeApp: true,
  parts: itemsAndFirstComment('facebook.first_comment'),
  prepare,
  send,
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics,
} satisfies Network<Prepared>;
