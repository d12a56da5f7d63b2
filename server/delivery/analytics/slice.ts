import type { Database } from '#server/base/store/database';
import type { Networks } from '#server/networks/registry';
import { createAnalytics } from './analytics.ts';
import { analyticsRoutes } from './routes.ts';
import { createAnalyticsStore } from './store.ts';

export const openAnalytics = ({ database, networks }: { database: Database; networks: Networks }) => {
  const analytics = createAnalytics({ store: createAnalyticsStore(database), networks });
  return { analytics, routes: analyticsRoutes({ analytics }) };
};
