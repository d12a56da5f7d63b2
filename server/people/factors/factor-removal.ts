import type { Database } from '#server/base/store/database';
import { createFactorStore } from './factor-store.ts';
import { createPasskeyStore } from './passkey-store.ts';

/** Everything that a sign-in may ask for besides the password. For commands, which open no more than they need. */
export const createFactorRemoval = (database: Database) => async (userId: string) => {
  await createFactorStore(database).removeAll(userId);
  await createPasskeyStore(database).removeAll(userId);
};
