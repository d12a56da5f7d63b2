import type { Constraints, PollLimits } from '#contracts/providers';
import { profile, revoke } from '#server/networks/families/mastodon/connect';
import type { Prepared } from '#server/networks/families/mastodon/publish';
import { pollLimitsOf, runsSharkey, withLimitsOf } from '#server/networks/families/mastodon/server-facts';
import type { Network } from '#server/networks/network';
import { cannotRefresh } from '#server/networks/oauth2';
import { pollIn, pollWithoutMedia } from '#server/networks/poll';
import { choices, MB, minutes, replies } from '#server/networks/shared/limits';
import { eachItem, itemsOf, option, problems } from '#server/networks/shared/post';
import { isLanguage } from '#server/networks/shared/text';
import { app } from './app.ts';
import { characters } from './characters.ts';
import { connect } from './connect.ts';
import { confirm, isRepeatable, prepare, quotedIn, quoteRefusal, send } from './publish.ts';
import { readMetrics } from './statistics.ts';

/** What a server allows unless its operator changed it. */
const constraints: Constraints = {
  characters,
  media: {
    min: 0,
    max: 4,
    mixed: false,
    images: {
      max: 4,
      mimeTypes: ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/heic', 'image/heif', 'image/avif'],
      maxBytes: 16 * MB,
      maxAltLength: 1_500,
    },
    videos: { max: 1, mimeTypes: ['video/mp4', 'video/quicktime', 'video/webm'], maxBytes: 99 * MB },
    transport: 'Upload',
  },
  thread: replies,
  metrics: ['likes', 'comments', 'shares', 'quotes'],
};

/** A server's poll limits, unless its operator changed them. */
const pollLimits: PollLimits = {
  minChoices: 2,
  maxChoices: 4,
  maxChoiceLength: 50,
  minDurationMinutes: 5,
  maxDurationMinutes: 43_829,
  multiple: true,
  hideTotals: true,
};

const isEmojiAlone = (text: string) =>
  /^(?:\s|\p{Emoji_Presentation}|\p{Extended_Pictographic}|[\u200d\ufe0f]|:\w+:)+$/u.test(text);

/**
 * Mastodon's sample nginx.conf has the default gateway timeout of 60 s. Puma continues a request after that without a
 * limit, so we wait ten times that timeout.
 */
const holdMs = minutes(10);

export default {
  key: 'mastodon',
  name: 'Mastodon',
  badge: { code: 'Ma', color: '#5A48D0' },
  settings: [],
  app,
  hosts: { server: 'https://mastodon.social' },
  paidPerPost: false,
  publishPermissions: ['write:statuses', 'write'],
  constraints,
  options: [
    {
      key: 'mastodon.visibility',
      label: 'Who can see it',
      type: 'Choice',
      choices: choices({
        public: 'Everyone',
        unlisted: 'Everyone, but not in public timelines',
        private: 'Followers',
        direct: 'Only people you mention',
      }),
      default: 'public',
      description: 'Who can see the post.',
    },
    {
      key: 'mastodon.spoiler_text',
      label: 'Content warning',
      type: 'Text',
      description: 'Readers see this first and open the post behind it. It counts together with the text.',
    },
    {
      key: 'mastodon.sensitive',
      label: 'Sensitive media',
      type: 'Boolean',
      media: ['Image', 'Video'],
      description: 'Hides the media until the reader opens them; the setting of the account when it is not set.',
    },
    {
      key: 'mastodon.language',
      label: 'Language',
      type: 'Text',
      description: 'Language of the text, such as `en`; the setting of the account when it is not set.',
    },
    {
      key: 'mastodon.quote_policy',
      label: 'Who can quote',
      type: 'Choice',
      choices: choices({ public: 'Everyone', followers: 'Followers', nobody: 'Nobody' }),
      description: 'The setting of the account when it is not set. Servers before 4.5 ignore it.',
    },
    {
      key: 'mastodon.focus',
      label: 'Focus of images',
      type: 'Focus',
      media: ['Image'],
      description: 'What stays in sight of an image where the network crops it.',
    },
    {
      key: 'mastodon.quote',
      label: 'Quoted post',
      type: 'Text',
      description:
        'Address of a post as your own server shows it, or its id there. Needs Mastodon 4.5. Not together with a poll.',
    },
    {
      key: 'mastodon.poll',
      label: 'Poll',
      type: 'Poll',
      media: ['None'],
      poll: pollLimits,
      description: 'Asks readers to choose. A post has a poll or media, not both; in a thread the first item has it.',
    },
  ],
  constraintsFor: (_post, facts) => withLimitsOf(facts, constraints),
  pollLimitsFor: (facts) => pollLimitsOf(facts, pollLimits),
  check: (post, facts) => {
    const language = option(post, 'mastodon.language');
    const quote = option(post, 'mastodon.quote');
    const refusal = facts ? quoteRefusal(post, facts) : undefined;
    return problems([
      quote !== '' &&
        quotedIn(post) === undefined && {
          path: 'options.mastodon.quote',
          code: 'OptionValue',
          message: 'mastodon.quote must be the address of a post on your own server, or its id there.',
          actual: quote.slice(0, 100),
        },
      refusal !== undefined && { path: 'options.mastodon.quote', code: 'OptionNotAllowed', message: refusal },
      quote !== '' &&
        pollIn(post, 'mastodon.poll') !== undefined && {
          path: 'options.mastodon.quote',
          code: 'OptionNotAllowed',
          message: 'A poll and a quoted post exclude each other: remove one.',
        },
      pollWithoutMedia(post, 'mastodon.poll'),
      ...(runsSharkey(facts)
        ? eachItem(post, ({ body }, path, index) => [
            index > 0 &&
              isEmojiAlone(body) && {
                path: `${path}.body`,
                code: 'TextRequired',
                message: 'Sharkey makes a reaction of a reply that has only emoji: add a word.',
              },
          ])
        : []),
      language !== '' &&
        !isLanguage(language) && {
          path: 'options.mastodon.language',
          code: 'OptionValue',
          message: `${language} is not a language tag such as en or de.`,
          actual: language,
        },
    ]);
  },
  connect,
  // Tokens do not expire.
  refreshAheadMs: 0,
  refresh: cannotRefresh,
  profile,
  revoke,
  parts: itemsOf,
  prepare,
  send,
  isRepeatable,
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics,
} satisfies Network<Prepared>;
