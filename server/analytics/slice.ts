import type { Networks } from '#server/networks/registry';
import type { Database } from '#server/store/database';
import { createPublishedPosts } from './published-posts.ts';
import { analyticsRoutes } from './routes.ts';
import { createAnalyticsStore, createPublishedPostStore } from './store.ts';
import { createAnalytics } from './summary.ts';

export const openAnalytics = ({ database, networks }: { database: Database; networks: Networks }) => {
  const analytics = createAnalytics({ store: createAnalyticsStore(database), networks });
  const publishedPosts = createPublishedPosts({ store: createPublishedPostStore(database) });
  return { analytics, publishedPosts, routes: analyticsRoutes({ analytics }) };
};
