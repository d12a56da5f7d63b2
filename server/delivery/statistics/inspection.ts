import type { Database } from '#server/base/store/database';
import { createStatisticsStore } from './store.ts';

/** For commands. Separate from the slice, because its rules load the networks, which would slow every command down. */
export const openStatisticsInspection = ({ database }: { database: Database }) => {
  const store = createStatisticsStore(database);
  return { due: { reads: async () => store.msToNext(await store.networks(), []) } };
};
