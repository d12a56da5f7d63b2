import { z } from 'zod';
import { appRoute, byId, CanonicalInstant, Done, Empty, Id, type Route } from './define.ts';
import { type EventType, events } from './events.ts';
import { admins } from './scopes.ts';

/** SPEC, Webhook setup rules 2. */
export const mostWebhooks = 10;

/** A ping goes to the tested webhook alone, so nobody asks for it. */
export const choosableEvents = [
  'post.published',
  'post.failed',
  'account.disconnected',
] as const satisfies readonly EventType[];

export const WebhookUrl = z
  .string()
  .max(2048)
  .describe('Where deliveries go: https, reachable on the public internet, without user name or password');

export const ChosenEvents = z
  .array(z.enum(choosableEvents))
  .min(1)
  .max(choosableEvents.length)
  .transform((types) => [...new Set(types)])
  .describe('The event types it gets');

export const deliveryStates = ['pending', 'sending', 'delivered', 'failed'] as const;
const DeliveryState = z.enum(deliveryStates).describe('pending waits for its next attempt; failed is given up');
const SentType = z.enum(Object.keys(events) as EventType[]).describe('Event type');

export const Webhook = z
  .object({
    id: z.string().describe('Webhook id, prefix `whk_`'),
    url: z.string().describe('Where deliveries go'),
    events: z.array(z.enum(choosableEvents)).describe('The event types it gets'),
    testReceiver: z.boolean().optional().describe('True for the test receiver of the sandbox'),
    state: z
      .enum(['active', 'paused'])
      .describe('A paused one gets nothing, and events meanwhile are not stored for it'),
    reason: z
      .string()
      .optional()
      .describe('Why nothing is sent to it: why it was paused, or that the plan covers fewer webhooks'),
    pausedAt: CanonicalInstant.optional(),
    oldSecretUntil: z
      .string()
      .optional()
      .describe('ISO-8601 instant until which the secret before the last rotation signs as well'),
    lastDelivery: z
      .object({
        type: SentType,
        state: DeliveryState,
        at: z.string().describe('ISO-8601 instant of its last attempt, or at which it was queued'),
      })
      .optional()
      .describe('Absent before the first one, and when it is older than 30 days'),
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'Webhook', description: 'An address of yours that gets events. Its secret is never listed' });
export type Webhook = z.output<typeof Webhook>;

export const NewWebhook = Webhook.extend({
  secret: z.string().describe('Signing secret, prefix `whsec_`. Shown only this once; store it now'),
}).meta({ id: 'NewWebhook', description: 'A webhook with its signing secret' });
export type NewWebhook = z.output<typeof NewWebhook>;

export const Delivery = z
  .object({
    id: z.string().describe('Delivery id, prefix `whd_`; the receiver sees it in `Posthorn-Delivery`'),
    eventId: z.string().describe('Event id, prefix `evt_`'),
    type: SentType,
    state: DeliveryState,
    attempts: z.int().describe('Attempts that have ended'),
    lastAnswer: z.string().optional().describe('What the receiver answered last, or why there was no answer'),
    lastTookMs: z.int().optional().describe('Milliseconds from the last call to its answer'),
    lastTriedAt: CanonicalInstant.optional(),
    nextTryAt: z.string().optional().describe('ISO-8601 instant; while it is pending'),
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'Delivery', description: 'One event on its way to one webhook' });
export type Delivery = z.output<typeof Delivery>;

export const DeliveryDetails = Delivery.extend({
  body: z.string().describe('The event as JSON text, byte for byte what is signed and sent with every attempt'),
  headers: z
    .record(z.string(), z.string())
    .optional()
    .describe('As they were sent with the last attempt, signature included; absent before it'),
  tries: z
    .array(
      z.object({
        at: z.string().describe('ISO-8601 instant at which it ended'),
        answer: z.string().describe('What the receiver answered, or why there was no answer'),
        tookMs: z.int().describe('Milliseconds from the call to the answer'),
      }),
    )
    .describe('The attempts since it was last queued, oldest first; `attempts` of them'),
  ladderSeconds: z
    .array(z.int())
    .describe('The wait before each attempt, the first included: after the last one it is given up'),
}).meta({ id: 'DeliveryDetails', description: 'One delivery with what was sent and what came back' });
export type DeliveryDetails = z.output<typeof DeliveryDetails>;

const OneDelivery = byId('Webhook id').extend({ deliveryId: Id.describe('Delivery id') });

export const webhookRoutes = {
  listWebhooks: appRoute({
    method: 'GET',
    path: '/api/webhooks',
    tag: 'Webhooks',
    summary: 'List webhooks',
    description: 'Those of the open workspace, oldest first, without their secrets.',
    roles: admins,
    answer: z.object({ webhooks: z.array(Webhook).describe('The oldest first') }),
  }),

  addWebhook: appRoute({
    method: 'POST',
    path: '/api/webhooks',
    tag: 'Webhooks',
    summary: 'Add a webhook',
    description:
      'At most 10 in a workspace (Conflict), or as many as the plan covers (PlanLimit). `secret` is shown only this once.',
    roles: admins,
    body: z.strictObject({ url: WebhookUrl, events: ChosenEvents }),
    idempotent: {
      onRepeat: 'This webhook exists already, and its secret is shown only once. Open it and create a new secret.',
    },
    answer: NewWebhook,
    more: ['PlanLimit', 'Conflict'],
  }),

  addTestReceiver: appRoute({
    method: 'POST',
    path: '/api/webhooks/test-receiver',
    tag: 'Webhooks',
    summary: 'Add the test receiver',
    description:
      'A webhook to a receiver that is part of the sandbox. It gets every event, checks the signature as your program should, and answers 204 when it is right, else 400. A workspace has one; adding it again returns it. Not in production.',
    roles: admins,
    body: Empty,
    answer: Webhook,
    more: ['PlanLimit', 'Conflict'],
  }),

  getWebhook: appRoute({
    method: 'GET',
    path: '/api/webhooks/:id',
    tag: 'Webhooks',
    summary: 'Read one webhook',
    description: 'Its address, its events, and whether it is paused and why.',
    roles: admins,
    params: byId('Webhook id'),
    answer: Webhook,
    more: ['NotFound'],
  }),

  changeWebhook: appRoute({
    method: 'PATCH',
    path: '/api/webhooks/:id',
    tag: 'Webhooks',
    summary: 'Change a webhook',
    description: 'Its address or its events. Waiting deliveries go to the new address.',
    roles: admins,
    params: byId('Webhook id'),
    body: z.strictObject({ url: WebhookUrl.optional(), events: ChosenEvents.optional() }),
    answer: Webhook,
    more: ['NotFound'],
  }),

  deleteWebhook: appRoute({
    method: 'DELETE',
    path: '/api/webhooks/:id',
    tag: 'Webhooks',
    summary: 'Delete a webhook',
    description: 'With its delivery log; waiting deliveries are not sent.',
    roles: admins,
    params: byId('Webhook id'),
    answer: Done,
    more: ['NotFound'],
  }),

  testWebhook: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/test',
    tag: 'Webhooks',
    summary: 'Send a test',
    description: 'A `ping` to this webhook alone. Conflict while it is paused.',
    roles: admins,
    params: byId('Webhook id'),
    body: Empty,
    answer: Delivery,
    more: ['NotFound', 'Conflict'],
  }),

  resumeWebhook: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/resume',
    tag: 'Webhooks',
    summary: 'Resume a paused webhook',
    description: 'It receives events from now on. A webhook is paused after 10 deliveries in a row were given up.',
    roles: admins,
    params: byId('Webhook id'),
    body: Empty,
    answer: Webhook,
    more: ['NotFound'],
  }),

  rotateWebhookSecret: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/rotate-secret',
    tag: 'Webhooks',
    summary: 'Create a new signing secret',
    description:
      'Shown only this once. For 24 hours deliveries are signed with both, so that no receiver misses one; rotating again within that time ends the older secret at once.',
    roles: admins,
    params: byId('Webhook id'),
    body: Empty,
    idempotent: {
      onRepeat:
        'The new secret exists already, and it is shown only once. Create another one and set it in your receiver at once, because the secret that it has then stops signing.',
    },
    answer: NewWebhook,
    more: ['NotFound'],
  }),

  listDeliveries: appRoute({
    method: 'GET',
    path: '/api/webhooks/:id/deliveries',
    tag: 'Webhooks',
    summary: 'Read the delivery log',
    description: 'The last 50 deliveries of the last 30 days, newest first.',
    roles: admins,
    params: byId('Webhook id'),
    answer: z.object({ deliveries: z.array(Delivery).describe('The newest first') }),
    more: ['NotFound'],
  }),

  getDelivery: appRoute({
    method: 'GET',
    path: '/api/webhooks/:id/deliveries/:deliveryId',
    tag: 'Webhooks',
    summary: 'Read one delivery',
    description: 'With its body, the headers of the last attempt and the outcome of each. Kept for 30 days.',
    roles: admins,
    params: OneDelivery,
    answer: DeliveryDetails,
    more: ['NotFound'],
  }),

  resendDelivery: appRoute({
    method: 'POST',
    path: '/api/webhooks/:id/deliveries/:deliveryId/resend',
    tag: 'Webhooks',
    summary: 'Send again',
    description:
      'Queues the delivery again from the first attempt, under the same id. Conflict while it is being sent or the webhook is paused; NotFound for one that is older than 30 days.',
    roles: admins,
    params: OneDelivery,
    body: Empty,
    answer: Delivery,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type WebhookRoutes = typeof webhookRoutes;
