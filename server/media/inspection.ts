import type { Database } from '#server/store/database';
import { createFitJobStore } from './fit-job-store.ts';

/** What commands read of this slice. Opened apart, because they prepare nothing. */
export const openMediaInspection = ({ database }: { database: Database }) => ({
  due: { fits: () => createFitJobStore(database).msToNext() },
});
