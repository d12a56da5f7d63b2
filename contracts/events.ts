import { z } from 'zod';
import { Account, exampleAccount } from './accounts.ts';
import { CanonicalInstant } from './define.ts';
import { examplePost, Post } from './posts.ts';

const envelope = <const T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({
    id: z.string().describe('Event id, prefix `evt_`. The same event may arrive twice: deduplicate by this id'),
    type: z.literal(type).describe('Event type'),
    createdAt: CanonicalInstant,
    workspaceId: z.string().describe('Workspace the event happened in'),
    data: data.describe('What happened'),
  });

const about = {
  id: 'evt_01JCQ5C3D4E5F6G7H8J9K0M1N2',
  createdAt: '2026-11-15T09:35:02.000000Z',
  workspaceId: 'ws_01JCQ2W6K7S8T9V0W1X2Y3Z4A5',
};
const accountId = exampleAccount.id;
const externalId = 'at://did:plc:anna/app.bsky.feed.post/3lb2k4x5y6z7a';
const toAll = 'every webhook that asked for it';

/** SPEC, Events: what webhooks receive. */
export const events = {
  'post.published': {
    when: 'A post went out to every account it was for.',
    sentTo: toAll,
    schema: envelope('post.published', z.object({ post: Post })).meta({
      id: 'PostPublishedEvent',
      description: 'A post is out',
    }),
    example: {
      ...about,
      type: 'post.published',
      data: {
        post: {
          ...examplePost,
          status: 'Published',
          results: [{ accountId, ok: true, uncertain: false, externalId, publishedAt: '2026-11-15T09:35:00.000000Z' }],
        },
      },
    },
  },
  'post.failed': {
    when: 'Publishing ended and at least one account failed or could not be confirmed.',
    sentTo: toAll,
    schema: envelope('post.failed', z.object({ post: Post })).meta({
      id: 'PostFailedEvent',
      description: 'A post is not out everywhere, or may not be',
    }),
    example: {
      ...about,
      type: 'post.failed',
      data: {
        post: {
          ...examplePost,
          status: 'Failed',
          results: [
            {
              accountId,
              ok: false,
              uncertain: false,
              error: {
                code: 'rate_limited',
                message: 'Bluesky answered that the limit of the account is used up. Publish again later.',
              },
            },
          ],
        },
      },
    },
  },
  'account.disconnected': {
    when: 'An account stopped working and needs reconnecting.',
    sentTo: toAll,
    schema: envelope('account.disconnected', z.object({ account: Account })).meta({
      id: 'AccountDisconnectedEvent',
      description: 'An account needs reconnecting',
    }),
    example: {
      ...about,
      type: 'account.disconnected',
      data: { account: { ...exampleAccount, status: 'NeedsReconnect' } },
    },
  },
  ping: {
    when: 'Somebody clicked Send test.',
    sentTo: 'the tested webhook alone',
    schema: envelope('ping', z.object({ message: z.string().describe('A sentence for people') })).meta({
      id: 'PingEvent',
      description: 'A test',
    }),
    example: { ...about, type: 'ping', data: { message: 'This is a test.' } },
  },
} as const;

export type EventType = keyof typeof events;

/** SPEC, Request sent to the target URL. */
export const deliveryHeaders = {
  'User-Agent': 'Always `Posthorn-Webhooks/1`',
  'Posthorn-Event': 'The event type',
  'Posthorn-Delivery': 'Delivery id, prefix `whd_`; the same on every retry of one delivery to one webhook',
  'Posthorn-Signature':
    '`t=<unix seconds>,v1=<hex>`: v1 is the lowercase hex HMAC-SHA256, keyed with the signing secret, of `<t>.<raw body>`. Refuse the delivery when it differs, or when t is more than 5 minutes from your clock. For 24 hours after a rotation there are two, `t=…,v1=…,v1=…`: one that fits is enough',
  'webhook-id': 'The event id, for verifiers by the Standard Webhooks specification and to deduplicate by',
  'webhook-timestamp': 'The same unix seconds as `t`',
  'webhook-signature':
    '`v1,<base64>`, after a rotation two of them with a space between: the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the base64-decoded part of the signing secret after `whsec_`',
} as const;
