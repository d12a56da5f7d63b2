import type { Database } from '#server/base/store/database';
import { createPasskeyStore } from './store.ts';

/** For commands, which open no more than they need. */
export const createPasskeyRemoval = (database: Database) => createPasskeyStore(database).removeAll;
