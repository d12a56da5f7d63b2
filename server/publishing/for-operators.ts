import type { Database } from '#server/store/database';
import { createPublishingStore } from './store.ts';

export const nextPost = (database: Database) => createPublishingStore(database).msToPost();
export const nextSend = (database: Database) => createPublishingStore(database).msToSend([]);
