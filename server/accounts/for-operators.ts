import type { Database } from '#server/store/database';
import { createAccountStore } from './store.ts';

export { sealedInAccounts } from './store.ts';

export const nextRefresh = (database: Database) => createAccountStore(database).msToRefresh();
