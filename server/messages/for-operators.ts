import type { Database } from '#server/store/database';
import { createMessageStore } from './store.ts';

export { sealedInMessages } from './store.ts';

export const nextMail = (database: Database) => createMessageStore(database).msToNext('mail');
export const nextPush = (database: Database) => createMessageStore(database).msToNext('push');
