import { type Check, checksNamed, countOf } from '#server/check';
import type { Database } from '#server/store/database';
import { createDeliveryStore, createWebhookStore } from './store.ts';

export { sealedInWebhooks } from './store.ts';

export const nextDelivery = (database: Database) => createDeliveryStore(database).msToNext([]);

export const checkWebhooks = async (database: Database): Promise<Check> => {
  const [first, ...others] = await createWebhookStore(database).paused();
  const webhooks = checksNamed('webhooks');
  if (first === undefined) return webhooks.ok('No webhook is paused');
  const hosts = [...new Set([first, ...others].map(({ url }) => new URL(url).host))].join(', ');
  return webhooks.warning(
    `${countOf(first.count, 'webhook')} paused and get no events (${hosts}). The page Webhooks says why; an admin resumes there.`.replace(
      'is paused and get ',
      'is paused and gets ',
    ),
  );
};
