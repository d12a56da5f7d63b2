import type { WebhookRoutes } from '#contracts/webhooks';
import type { RouteHandlers } from '#server/base/context';
import type { Webhooks } from './webhooks.ts';

/** SPEC, Webhook authentication: owners and admins in the app; no token, MCP client or assistant can call these. */
export const webhookRoutes = ({ webhooks }: { webhooks: Webhooks }): RouteHandlers<WebhookRoutes> => ({
  listWebhooks: async ({ caller }) => ({ webhooks: await webhooks.list(caller) }),
  addWebhook: ({ caller, body }) => webhooks.add(caller, body),
  addTestReceiver: ({ caller }) => webhooks.addTestReceiver(caller),
  getWebhook: ({ caller, params }) => webhooks.get(caller, params.id),
  changeWebhook: ({ caller, params, body }) => webhooks.change(caller, params.id, body),
  deleteWebhook: async ({ caller, params }) => {
    await webhooks.remove(caller, params.id);
    return { done: true };
  },
  testWebhook: ({ caller, params }) => webhooks.test(caller, params.id),
  resumeWebhook: ({ caller, params }) => webhooks.resume(caller, params.id),
  rotateWebhookSecret: ({ caller, params }) => webhooks.rotateSecret(caller, params.id),
  listDeliveries: async ({ caller, params }) => ({ deliveries: await webhooks.deliveries(caller, params.id) }),
  getDelivery: ({ caller, params }) => webhooks.delivery(caller, params.id, params.deliveryId),
  resendDelivery: ({ caller, params }) => webhooks.resend(caller, params.id, params.deliveryId),
});
