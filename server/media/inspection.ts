import { createFitJobStore } from '#server/media/fits/store';
import type { Database } from '#server/store/database';

/** What commands read of this slice. Opened apart, because they prepare nothing. */
export const openMediaInspection = ({ database }: { database: Database }) => ({
  due: { fits: () => createFitJobStore(database).msToNext() },
});
