import type { Database } from '#server/base/store/database';
import { createFitJobStore } from '#server/media/fits/store';

/** Queries for commands, which do not open the slice. */
export const openMediaInspection = ({ database }: { database: Database }) => ({
  due: { fits: () => createFitJobStore(database).msToNext() },
});
