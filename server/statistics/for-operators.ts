import type { Database } from '#server/store/database';
import { createStatisticsStore } from './store.ts';

export const nextRead = async (database: Database) => {
  const store = createStatisticsStore(database);
  return store.msToNext(await store.networks(), []);
};
