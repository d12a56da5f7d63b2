import { z } from 'zod';
import { type EventType, events } from './events.ts';

/** SPEC, Webhook setup rules 2. */
export const mostWebhooks = 10;

/** A ping goes to the tested webhook alone, so nobody asks for it. */
const choosable = ['post.published', 'post.failed', 'account.disconnected'] as const satisfies readonly EventType[];

export const WebhookUrl = z
  .string()
  .max(2048)
  .describe('Where deliveries go: https, reachable on the public internet, without user name or password');

export const ChosenEvents = z
  .array(z.enum(choosable))
  .min(1)
  .max(choosable.length)
  .transform((types) => [...new Set(types)])
  .describe('The event types it is told about');

export const Webhook = z
  .object({
    id: z.string().describe('Webhook id, prefix `whk_`'),
    url: z.string().describe('Where deliveries go'),
    events: z.array(z.enum(choosable)).describe('The event types it is told about'),
    state: z.enum(['active', 'paused']).describe('A paused one gets nothing, and events meanwhile are not kept for it'),
    reason: z
      .string()
      .optional()
      .describe('Why nothing is sent to it: why it was paused, or that the plan covers fewer webhooks'),
    pausedAt: z.string().optional().describe('ISO-8601 instant'),
    oldSecretUntil: z
      .string()
      .optional()
      .describe('ISO-8601 instant until which the secret before the last rotation signs as well'),
    createdAt: z.string().describe('ISO-8601 instant'),
  })
  .meta({ id: 'Webhook', description: 'An address of yours that is told what happens. Its secret is never listed' });
export type Webhook = z.output<typeof Webhook>;

export const NewWebhook = Webhook.extend({
  secret: z.string().describe('Signing secret, prefix `whsec_`. Shown only this once; keep it now'),
}).meta({ id: 'NewWebhook', description: 'A webhook with its signing secret' });
export type NewWebhook = z.output<typeof NewWebhook>;

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const;

export const Delivery = z
  .object({
    id: z.string().describe('Delivery id, prefix `whd_`; the receiver sees it in `Posthorn-Delivery`'),
    eventId: z.string().describe('Event id, prefix `evt_`'),
    type: z.enum(Object.keys(events) as EventType[]).describe('Event type'),
    state: z.enum(deliveryStates).describe('pending waits for its next try; failed is given up'),
    attempts: z.int().describe('Tries that have ended'),
    lastAnswer: z.string().optional().describe('What the receiver answered last, or why there was no answer'),
    lastTriedAt: z.string().optional().describe('ISO-8601 instant'),
    nextTryAt: z.string().optional().describe('ISO-8601 instant; while it is pending'),
    createdAt: z.string().describe('ISO-8601 instant'),
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook' });
export type Delivery = z.output<typeof Delivery>;

export const DeliveryDetails = Delivery.extend({
  body: z.string().describe('The event as JSON text, byte for byte what is signed and sent on every try'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('As they were sent with the last try, signature included; absent before it'),
  tries: z
    .array(
      z.object({
        at: z.string().describe('ISO-8601 instant at which it ended'),
        answer: z.string().describe('What the receiver answered, or why there was no answer'),
        tookMs: z.int().describe('Milliseconds from the call to the answer'),
      }),
    )
    .describe('The tries since it was last queued, oldest first; `attempts` of them'),
  ladderSeconds: z
    .array(z.int())
    .describe('The wait before each try, the first included: after the last one it is given up'),
}).meta({ id: 'DeliveryDetails', description: 'One delivery with what was sent and what came back' });
export type DeliveryDetails = z.output<typeof DeliveryDetails>;
