import type { Constraints } from '#contracts/providers';
import { profile } from '#server/networks/families/mastodon/connect';
import { type Prepared, prepare } from '#server/networks/families/mastodon/publish';
import { withLimitsOf } from '#server/networks/families/mastodon/server-facts';
import type { Network } from '#server/networks/network';
import { choices, comments, MB, minutes } from '#server/networks/shared/limits';
import { eachItem, type Finding, isOn, itemsOf, option, problems } from '#server/networks/shared/post';
import { app } from './app.ts';
import { connect, refresh } from './connect.ts';
import { findCollections, findPlaces } from './lookups.ts';
import { confirm, send } from './publish.ts';
import { readMetrics } from './statistics.ts';

/** What a server allows unless its operator changed it: videos and WebP are off. */
const constraints: Constraints = {
  characters: {
    max: 500,
    counting: 'Unicode code points: a letter is 1, a simple emoji 1, a family emoji 7, a URL counts in full',
    rule: 'CodePoints',
    required: false,
  },
  media: {
    min: 1,
    max: 4,
    mixed: false,
    images: {
      max: 4,
      mimeTypes: ['image/jpeg', 'image/png', 'image/gif'],
      maxBytes: 15 * MB,
      maxAltLength: 1_000,
    },
    transport: 'Upload',
  },
  thread: comments,
  metrics: ['likes', 'comments', 'shares'],
};

/**
 * `max_execution_time` is 600 s in the php.ini of Pixelfed's Docker image. It does not include the time spent waiting
 * for the database, so we add half of it.
 */
const holdMs = minutes(15);

export default {
  key: 'pixelfed',
  name: 'Pixelfed',
  badge: { code: 'Px', color: '#8539AE' },
  settings: [],
  app,
  hosts: { server: 'https://pixelfed.social' },
  paidPerPost: false,
  publishPermissions: ['write'],
  constraints,
  options: [
    {
      key: 'pixelfed.visibility',
      label: 'Who can see it',
      type: 'Choice',
      choices: choices({
        public: 'Everyone',
        unlisted: 'Everyone, but not in public timelines',
        private: 'Followers',
      }),
      default: 'public',
      description: 'Who can see the post.',
    },
    {
      key: 'pixelfed.sensitive',
      label: 'Sensitive media',
      type: 'Boolean',
      default: 'false',
      description: 'Hides the media until the reader opens them.',
    },
    {
      key: 'pixelfed.spoiler_text',
      label: 'Content warning',
      type: 'Text',
      maxLength: 140,
      description: 'Readers see this over the hidden media. Needs sensitive media to be on.',
    },
    {
      key: 'pixelfed.comments_disabled',
      label: 'Turn off comments',
      type: 'Boolean',
      default: 'false',
      description: 'Nobody can comment on the post.',
    },
    {
      key: 'pixelfed.place',
      label: 'Place',
      type: 'Text',
      maxLength: 10,
      searchable: true,
      description: 'Id of the city that the post is tagged with; search for it by name.',
    },
    {
      key: 'pixelfed.collection',
      label: 'Collection',
      type: 'Text',
      maxLength: 20,
      searchable: true,
      description: 'Id of a collection of the account that the post is added to.',
    },
  ],
  constraintsFor: (_post, facts) => withLimitsOf(facts, constraints),
  lookups: { 'pixelfed.place': findPlaces, 'pixelfed.collection': findCollections },
  check: (post) =>
    problems([
      ...['pixelfed.place', 'pixelfed.collection'].map(
        (key): Finding =>
          !/^\d*$/.test(option(post, key)) && {
            path: `options.${key}`,
            code: 'OptionValue',
            message: `${key} must be an id, which has only digits: search for it in the app.`,
            actual: option(post, key).slice(0, 100),
          },
      ),
      // PHP's strip_tags treats such a “<” as the beginning of a tag, and removes the rest of the text.
      ...eachItem(post, ({ body }, path) => [
        /<(?!\s)/.test(body) && {
          path: `${path}.body`,
          code: 'BadCharacter',
          message: 'Pixelfed removes “<” and what follows it: put a space after it, or write “‹”.',
          actual: body.slice(body.search(/<(?!\s)/)).slice(0, 20),
        },
      ]),
      // Pixelfed would drop the warning without a word.
      option(post, 'pixelfed.spoiler_text') !== '' &&
        !isOn(post, 'pixelfed.sensitive') && {
          path: 'options.pixelfed.sensitive',
          code: 'OptionRequired',
          message: 'A content warning shows on sensitive media only: turn that on, or remove the warning.',
        },
      isOn(post, 'pixelfed.comments_disabled') &&
        post.items.length > 1 && {
          path: 'options.pixelfed.comments_disabled',
          code: 'OptionNotAllowed',
          message: 'The items after the first become comments: allow comments, or keep one item.',
        },
    ]),
  connect,
  // Tokens live for a year. Renewing a month early leaves time for a server that is down.
  refreshAheadMs: minutes(30 * 24 * 60),
  refresh,
  profile,
  parts: itemsOf,
  prepare,
  send,
  // For an hour, Pixelfed refuses a key that it has already seen.
  isRepeatable: () => true,
  confirm,
  holdMs,
  postsPerRead: 1,
  readMetrics,
} satisfies Network<Prepared>;
