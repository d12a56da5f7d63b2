import type { Constraints } from '#contracts/providers';
import { longTokensAheadMs } from '#server/networks/families/meta/tokens';
import type { Network } from '#server/networks/network';
import { pollIn, pollWithoutMedia } from '#server/networks/poll';
import { choices, GB, MB, minutes, replies } from '#server/networks/shared/limits';
import { eachItem, hasMedia, isOn, itemsOf, option, problems } from '#server/networks/shared/post';
import { links } from '#server/networks/shared/text';
import { app } from './app.ts';
import { connect, profile, refresh, revoke } from './connect.ts';
import { gifIn, gifKey } from './gif.ts';
import { findPlaces } from './places.ts';
import { confirm, type Prepared, prepare, send } from './publish.ts';
import { readMetrics } from './statistics.ts';

const constraints: Constraints = {
  characters: {
    max: 500,
    counting: 'Characters; an emoji counts as its UTF-8 bytes, so 4 or more; a URL counts in full',
    rule: 'EmojiBytes',
    required: false,
  },
  media: {
    min: 0,
    max: 20,
    mixed: true,
    // Widths outside 320 to 1440 are rescaled, not refused.
    images: {
      max: 20,
      mimeTypes: ['image/jpeg', 'image/png'],
      maxBytes: 8 * MB,
      minRatio: 1 / 10,
      maxRatio: 10,
      maxAltLength: 1_000,
    },
    videos: {
      max: 20,
      mimeTypes: ['video/mp4', 'video/quicktime'],
      maxBytes: GB,
      maxDurationMs: minutes(5),
      minRatio: 0.01,
      maxRatio: 10,
      maxWidth: 1_920,
      maxFrameRate: 60,
      videoCodecs: ['h264', 'hevc'],
      audioCodecs: ['aac'],
    },
    transport: 'PublicUrl',
  },
  thread: replies,
  metrics: ['views', 'likes', 'comments', 'shares', 'quotes'],
};

const maxLinks = 5;

/** Not documented; ten times the usual gateway timeout of 60 s. */
const holdMs = minutes(10);

export default {
  key: 'threads',
  name: 'Threads',
  badge: { code: 'Th', color: '#555A66', darkColor: '#8A91A0' },
  settings: ['THREADS_APP_ID', 'THREADS_APP_SECRET'],
  otherSettings: ['THREADS_LOCATION'],
  app,
  hosts: { web: 'https://threads.com', graph: 'https://graph.threads.net' },
  paidPerPost: false,
  publishPermissions: ['threads_content_publish'],
  postQuota: { posts: 250, hours: 24 },
  statisticsPermission: 'threads_manage_insights',
  constraints,
  options: [
    {
      key: 'threads.reply_control',
      label: 'Who can reply',
      type: 'Choice',
      choices: choices({
        everyone: 'Everyone',
        accounts_you_follow: 'Accounts you follow',
        mentioned_only: 'Only accounts you mention',
        parent_post_author_only: 'Only the author of the post',
        followers_only: 'Your followers',
      }),
      default: 'everyone',
      description: 'Who may reply to the post.',
    },
    {
      key: 'threads.topic_tag',
      label: 'Topic',
      type: 'Text',
      // Length and characters are unconfirmed.
      maxLength: 50,
      description: 'The one topic of the post, without #, a dot or an ampersand.',
    },
    {
      key: 'threads.link',
      label: 'Link preview',
      type: 'Url',
      media: ['None'],
      description: 'Shows a preview of this link below the text. Only on posts without media.',
    },
    {
      key: 'threads.spoiler_media',
      label: 'Hide media as a spoiler',
      type: 'Boolean',
      media: ['Image', 'Video'],
      default: 'false',
      description: 'Blurs the media until the reader taps it.',
    },
    {
      key: 'threads.ghost',
      label: 'Ghost post',
      type: 'Boolean',
      default: 'false',
      description:
        'Threads archives the post after 24 hours. Only for a single text, without media, poll or quoted post.',
    },
    {
      key: 'threads.quote',
      label: 'Quoted post',
      type: 'Text',
      description:
        'Id of a post on Threads that is shown below the text, or the address of one of the last 100 of your own.',
    },
    {
      key: 'threads.text_attachment',
      label: 'Long text',
      type: 'Text',
      media: ['None'],
      maxLength: 10_000,
      description:
        'A text of up to 10,000 characters that opens below the post. Only without media and without a poll.',
    },
    {
      key: 'threads.location',
      label: 'Place',
      type: 'Text',
      maxLength: 30,
      searchable: true,
      description:
        'Id of the place that the post is tagged with; search for it by name. The operator has to allow it with `THREADS_LOCATION`.',
    },
    {
      key: gifKey,
      label: 'GIF',
      type: 'Text',
      media: ['None'],
      maxLength: 300,
      description: 'Address or id of a GIF on GIPHY. Only on posts without media, poll, link preview and long text.',
    },
    {
      key: 'threads.poll',
      label: 'Poll',
      type: 'Poll',
      media: ['None'],
      poll: {
        minChoices: 2,
        maxChoices: 4,
        maxChoiceLength: 25,
        // Threads accepts no duration: every poll runs for a day.
        minDurationMinutes: 1_440,
        maxDurationMinutes: 1_440,
        multiple: false,
        hideTotals: false,
      },
      description: 'Asks readers to choose, for a day. Only on posts without media; in a thread the first item has it.',
    },
  ],
  constraintsFor: () => constraints,
  lookups: { 'threads.location': findPlaces },
  check: (post) => {
    const link = option(post, 'threads.link');
    const attached = option(post, 'threads.text_attachment');
    return problems([
      ...eachItem(post, ({ body }, path, index) => {
        const distinct = new Set([...links(body), ...(index === 0 && link !== '' ? [link] : [])]).size;
        return [
          distinct > maxLinks && {
            path: `${path}.body`,
            code: 'TooManyLinks',
            message: 'Threads takes five different links per post: remove some.',
            limit: maxLinks,
            actual: distinct,
          },
        ];
      }),
      link !== '' &&
        hasMedia(post) && {
          path: 'options.threads.link',
          code: 'OptionNotAllowed',
          message: 'A link preview and media exclude each other: remove one, or put the link into the text.',
        },
      pollWithoutMedia(post, 'threads.poll'),
      option(post, gifKey) !== '' &&
        gifIn(post) === undefined && {
          path: `options.${gifKey}`,
          code: 'OptionValue',
          message: 'threads.gif must be the address of a GIF on giphy.com, or its id.',
          actual: option(post, gifKey).slice(0, 100),
        },
      option(post, gifKey) !== '' &&
        (hasMedia(post) || pollIn(post, 'threads.poll') !== undefined || link !== '' || attached !== '') && {
          path: `options.${gifKey}`,
          code: 'OptionNotAllowed',
          message: 'A GIF goes with neither media, a poll, a link preview nor a long text: remove one of them.',
        },
      attached !== '' &&
        (hasMedia(post) || pollIn(post, 'threads.poll') !== undefined) && {
          path: 'options.threads.text_attachment',
          code: 'OptionNotAllowed',
          message: 'A long text goes with neither media nor a poll: remove one of them.',
        },
      isOn(post, 'threads.ghost') &&
        (hasMedia(post) ||
          post.items.length > 1 ||
          option(post, 'threads.quote') !== '' ||
          pollIn(post, 'threads.poll') !== undefined) && {
          path: 'options.threads.ghost',
          code: 'OptionNotAllowed',
          message: 'A ghost post is a single text, without media, poll or quoted post: remove those, or switch it off.',
        },
      !/^\d*$/.test(option(post, 'threads.location')) && {
        path: 'options.threads.location',
        code: 'OptionValue',
        message: 'threads.location must be the id of a place, which has only digits: search for the place in the app.',
        actual: option(post, 'threads.location'),
      },
      !/^(?:\d+|https?:\/\/.*\/post\/[\w-]+.*|)$/.test(option(post, 'threads.quote')) && {
        path: 'options.threads.quote',
        code: 'OptionValue',
        message: 'threads.quote must be the id of a post on Threads, or the address of one of your own.',
        actual: option(post, 'threads.quote').slice(0, 100),
      },
      /[.&]/.test(option(post, 'threads.topic_tag')) && {
        path: 'options.threads.topic_tag',
        code: 'OptionValue',
        message: 'A topic has no dot and no ampersand: remove them.',
      },
    ]);
  },
  connect,
  refreshAheadMs: longTokensAheadMs,
  refresh,
  profile,
  revoke,
  parts: itemsOf,
  prepare,
  send,
  // A container is published once.
  isRepeatable: () => true,
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics,
} satisfies Network<Prepared>;
