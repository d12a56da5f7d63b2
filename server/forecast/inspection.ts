import type { Database } from '#server/store/database';
import { createForecastStore } from './store.ts';

/** What commands read of this slice. Opened apart, because they check nothing. */
export const openForecastInspection = ({ database }: { database: Database }) => ({
  due: { forecasts: () => createForecastStore(database).msToNext() },
});
