import type { Database } from '#server/base/store/database';
import { createForecastStore } from './store.ts';

/** What commands read from this slice. Opened separately, because commands run no checks. */
export const openForecastInspection = ({ database }: { database: Database }) => ({
  due: { forecasts: () => createForecastStore(database).msToNext() },
});
