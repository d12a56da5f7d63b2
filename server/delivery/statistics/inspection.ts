import type { Database } from '#server/base/store/database';
import { createReadStore } from './read-store.ts';

/** For commands. Separate from the slice, because its rules load the networks, which would slow every command down. */
export const openStatisticsInspection = ({ database }: { database: Database }) => {
  const store = createReadStore(database);
  return { due: { reads: async () => store.msToNext(await store.networks(), []) } };
};
