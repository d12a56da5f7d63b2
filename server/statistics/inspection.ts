import type { Database } from '#server/store/database';
import { createStatisticsStore } from './store.ts';

/** What commands read of this slice. Opened apart, because its rules load the networks, for which no command should wait. */
export const openStatisticsInspection = ({ database }: { database: Database }) => {
  const store = createStatisticsStore(database);
  return { due: { reads: async () => store.msToNext(await store.networks(), []) } };
};
