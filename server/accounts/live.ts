import type { Database } from '#server/store/database';
import { createAccountStore } from './store.ts';

/** Whether an account on a true network is connected, in whatever workspace. */
export const hasLiveAccount = (database: Database) => () => createAccountStore(database).hasLive();
