import { type Check, checksNamed, countOf } from '#server/base/health/check';
import type { Database } from '#server/base/store/database';
import { createDeliveryStore, createWebhookStore, sealedInWebhooks, type WebhookStore } from './store.ts';

/** For commands. Separate from the slice, because commands deliver nothing and may have no encryption key. */
export const openWebhookInspection = ({ database }: { database: Database }) => ({
  due: { deliveries: () => createDeliveryStore(database).msToNext([]) },
  sealed: sealedInWebhooks(database),
  checks: { webhooks: () => checkWebhooks(createWebhookStore(database)) },
});

const checkWebhooks = async (store: WebhookStore): Promise<Check> => {
  const [first, ...others] = await store.paused();
  const webhooks = checksNamed('webhooks');
  if (first === undefined) return webhooks.ok('No webhook is paused');
  const hosts = [...new Set([first, ...others].map(({ url }) => new URL(url).host))].join(', ');
  return webhooks.warning(
    `${countOf(first.count, 'webhook', ['is paused and gets', 'are paused and get'])} no events (${hosts}). The page Webhooks says why; an admin resumes there.`,
  );
};
