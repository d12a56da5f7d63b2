import type { Database } from '#server/store/database';
import { createDeliveryStore } from './store.ts';

export { sealedInWebhooks } from './store.ts';

export const nextDelivery = (database: Database) => createDeliveryStore(database).msToNext([]);
