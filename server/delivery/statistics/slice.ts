import type { Clock } from '#server/base/clock';
import type { Database } from '#server/base/store/database';
import type { AccountAccess } from '#server/connecting/accounts/access';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Networks } from '#server/networks/registry';
import type { Reading } from '#server/writing/posts/reading';
import type { ReadMetrics } from './metrics.ts';
import { createPublications } from './publications.ts';
import { createPublishedPosts } from './published-posts.ts';
import { createReads } from './reads.ts';
import { statisticsRoutes } from './routes.ts';
import { createStatistics } from './statistics.ts';
import { createPublishedPostStore, createStatisticsStore } from './store.ts';

export const openStatistics = ({
  database,
  networks,
  accounts,
  access,
  reading,
  metrics: { reads: readMetrics },
  clock,
  report,
}: {
  database: Database;
  networks: Networks;
  accounts: Accounts;
  access: Pick<AccountAccess, 'forReading'>;
  reading: Reading;
  metrics: { readonly reads: ReadMetrics };
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createStatisticsStore(database);
  const statistics = createStatistics({ store, networks, reading });
  const publishedPosts = createPublishedPosts({ store: createPublishedPostStore(database) });
  const publications = createPublications({ store, publishedPosts });
  return {
    statistics,
    publications,
    loops: {
      reads: createReads({
        store,
        publications,
        networks,
        accounts,
        access: access.forReading,
        readMetrics,
        clock,
        report,
      }),
    },
    readSoon: store.readSoon,
    routes: statisticsRoutes({ statistics }),
  };
};
