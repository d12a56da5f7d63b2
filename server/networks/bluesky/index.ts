import type { Constraints } from '#contracts/providers';
import { countGraphemes } from '#server/networks/counting';
import type { Network, NetworkPost } from '#server/networks/network';
import { choices, MB, minutes, replies } from '#server/networks/shared/limits';
import {
  eachMedia,
  type Finding,
  firstItem,
  gifStandsAlone,
  isGif,
  isVideo,
  itemsOf,
  list,
  option,
  problems,
} from '#server/networks/shared/post';
import { isLanguage } from '#server/networks/shared/text';
import { app } from './app.ts';
import { connect, profile, refresh, revoke } from './connect.ts';
import { linkCards } from './link-card.ts';
import { isMoving } from './media.ts';
import { confirm, type Prepared, prepare, send } from './publish.ts';
import { quotedIn } from './quote.ts';
import { readMetrics } from './statistics.ts';

const maxVideoAlt = 1_000;

const images = { max: 10, mimeTypes: ['image/jpeg', 'image/png', 'image/webp', 'image/gif'], maxBytes: 2 * MB };

const constraints: Constraints = {
  characters: {
    max: 300,
    counting:
      'Grapheme clusters: a letter with its accents is 1, an emoji is 1 however long, a URL counts as its host and at most 16 characters of its path',
    rule: 'Graphemes',
    shortLinks: true,
    maxBytes: 3_000,
    required: false,
  },
  media: {
    min: 0,
    max: 10,
    mixed: false,
    images,
    videos: { max: 1, mimeTypes: ['video/mp4'], maxBytes: 300 * MB, maxDurationMs: minutes(10) },
    transport: 'Upload',
  },
  thread: replies,
  metrics: ['likes', 'comments', 'shares', 'quotes', 'saves'],
};

/** A GIF becomes a video. */
const withGif: Constraints = {
  ...constraints,
  media: { ...constraints.media, images: { ...images, maxBytes: 50 * MB } },
};

const hasGif = (post: NetworkPost) => post.items.some(({ media }) => media.some(isGif));

const maxCaptionBytes = 20_000;

const captionProblems = (post: NetworkPost): Finding[] => {
  const path = 'options.bluesky.captions';
  const captions = option(post, 'bluesky.captions');
  const bytes = Buffer.byteLength(captions);
  if (captions === '') return [];
  return [
    !firstItem(post).media.some(isVideo) && {
      path,
      code: 'OptionNotAllowed',
      message: 'Captions belong to a video: add one to the first item, or remove them.',
    },
    !/^WEBVTT(?:\s|$)/.test(captions) && {
      path,
      code: 'OptionValue',
      message: 'Captions are WebVTT, whose first line is WEBVTT: save them in that format.',
      actual: captions.slice(0, 100),
    },
    list(post, 'bluesky.languages').length === 0 && {
      path: 'options.bluesky.languages',
      code: 'OptionRequired',
      message: 'Captions have a language: set Languages (bluesky.languages).',
    },
    bytes > maxCaptionBytes && {
      path,
      code: 'OptionTooLong',
      message: `Captions have at most ${maxCaptionBytes} bytes: shorten them.`,
      limit: maxCaptionBytes,
      actual: bytes,
    },
  ];
};

/** The PDS sets no limit: Node reads a request for at most 300 s (`requestTimeout`), and as long again to act on it. */
const holdMs = minutes(10);

export default {
  key: 'bluesky',
  name: 'Bluesky',
  badge: { code: 'Bs', color: '#0A73D1' },
  settings: [],
  app,
  hosts: {
    pds: 'https://bsky.social',
    video: 'https://video.bsky.app',
    cards: 'https://cardyb.bsky.app',
    web: 'https://bsky.app',
  },
  paidPerPost: false,
  constraints,
  options: [
    {
      key: 'bluesky.reply_control',
      label: 'Who can reply',
      type: 'Choice',
      choices: choices({
        everyone: 'Everyone',
        mentioned: 'Accounts you mention',
        following: 'Accounts you follow',
        followers: 'Your followers',
        nobody: 'Nobody',
      }),
      default: 'everyone',
      description: 'Who may reply to the post.',
    },
    {
      key: 'bluesky.allow_quotes',
      label: 'Allow quotes',
      type: 'Boolean',
      default: 'true',
      description: 'Whether others may quote the post.',
    },
    {
      key: 'bluesky.languages',
      label: 'Languages',
      type: 'List',
      maxLength: 3,
      description: 'Up to three languages of the text, separated by commas: `en,de`.',
    },
    {
      key: 'bluesky.content_label',
      label: 'Content warning',
      type: 'Choice',
      media: ['Image', 'Video'],
      choices: choices({
        none: 'None',
        sexual: 'Suggestive',
        nudity: 'Nudity',
        porn: 'Pornography',
        'graphic-media': 'Graphic media',
      }),
      default: 'none',
      description: 'Readers see this warning before the media.',
    },
    {
      key: 'bluesky.link_card',
      label: 'Link card',
      type: 'Boolean',
      media: ['None'],
      default: 'true',
      description: 'Shows a card of the first link below a text without media.',
    },
    {
      key: 'bluesky.captions',
      label: 'Captions',
      type: 'Text',
      media: ['Video'],
      maxLength: 10_000,
      description: 'Subtitles of the video as WebVTT, which begins with `WEBVTT`, in the first of the languages.',
    },
    {
      key: 'bluesky.quote',
      label: 'Quoted post',
      type: 'Text',
      description:
        'Address of a post on Bluesky (`https://bsky.app/profile/…/post/…` or `at://…`) that is shown below the text.',
    },
  ],
  constraintsFor: (post) => (hasGif(post) ? withGif : constraints),
  check: (post) =>
    problems([
      ...captionProblems(post),
      option(post, 'bluesky.quote') !== '' &&
        quotedIn(post) === undefined && {
          path: 'options.bluesky.quote',
          code: 'OptionValue',
          message: 'bluesky.quote must be the address of a post, such as https://bsky.app/profile/anna.example/post/….',
          actual: option(post, 'bluesky.quote').slice(0, 100),
        },
      ...list(post, 'bluesky.languages').map(
        (tag): Finding =>
          !isLanguage(tag) && {
            path: 'options.bluesky.languages',
            code: 'OptionValue',
            message: `${tag} is not a language tag such as en or pt-BR.`,
            actual: tag,
          },
      ),
      ...eachMedia(post, gifStandsAlone),
      // One GIF in a thread widens the limit of all its images.
      ...eachMedia(
        post,
        (media, path) =>
          hasGif(post) &&
          media.kind === 'Image' &&
          !isGif(media) &&
          media.bytes > images.maxBytes && {
            path,
            code: 'MediaTooLarge',
            message: 'Only a GIF may have more than 2 MB: choose a smaller image.',
            limit: images.maxBytes,
            actual: media.bytes,
          },
      ),
      ...eachMedia(post, (media, path) => {
        const length = countGraphemes(media.alt ?? '');
        return (
          isMoving(media) &&
          length > maxVideoAlt && {
            path,
            code: 'AltTooLong',
            message: 'Shorten the alternative text of the video.',
            limit: maxVideoAlt,
            actual: length,
          }
        );
      }),
    ]),
  linkCards,
  connect,
  refreshAheadMs: minutes(5),
  refresh,
  profile,
  revoke,
  parts: itemsOf,
  prepare,
  send,
  // A record key that exists is refused.
  isRepeatable: () => true,
  confirm,
  holdMs,
  // Bluesky accepts 25, but 25 ids may not fit into one URL.
  postsPerRead: 20,
  readMetrics,
} satisfies Network<Prepared>;
