import { z } from 'zod';
import { Account } from './accounts.ts';
import { Post } from './posts.ts';

const envelope = <const T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({
    id: z.string().describe('Event id, prefix `evt_`. The same event may arrive twice: deduplicate by this id'),
    type: z.literal(type).describe('Event type'),
    createdAt: z.string().describe('ISO-8601 instant'),
    workspaceId: z.string().describe('Workspace the event happened in'),
    data,
  });

/** SPEC, Events: what webhooks receive. */
export const events = {
  'post.published': {
    when: 'A post went out to every account it was for.',
    schema: envelope('post.published', z.object({ post: Post })).meta({ id: 'PostPublishedEvent' }),
  },
  'post.failed': {
    when: 'Publishing ended and at least one account failed or could not be confirmed.',
    schema: envelope('post.failed', z.object({ post: Post })).meta({ id: 'PostFailedEvent' }),
  },
  'account.disconnected': {
    when: 'An account stopped working and needs reconnecting.',
    schema: envelope('account.disconnected', z.object({ account: Account })).meta({ id: 'AccountDisconnectedEvent' }),
  },
  ping: {
    when: 'Somebody clicked Send test; it goes to the tested webhook only.',
    schema: envelope('ping', z.object({ message: z.string() })).meta({ id: 'PingEvent' }),
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
