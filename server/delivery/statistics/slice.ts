import type { Clock } from '#server/base/clock';
import type { Database } from '#server/base/store/database';
import type { AccountAccess } from '#server/connecting/accounts/access';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Networks } from '#server/networks/registry';
import type { Reading } from '#server/writing/posts/reading';
import type { ReadMetrics } from './metrics.ts';
import { createPublicationStore } from './publication-store.ts';
import { createPublications } from './publications.ts';
import { createPublishedPostStore } from './published-post-store.ts';
import { createPublishedPosts } from './published-posts.ts';
import { createReadStore } from './read-store.ts';
import { createReads } from './reads.ts';
import { statisticsRoutes } from './routes.ts';
import { createStatistics } from './statistics.ts';

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
  const store = createPublicationStore(database);
  const readStore = createReadStore(database);
  const statistics = createStatistics({ store, networks, reading });
  const publishedPosts = createPublishedPosts({ store: createPublishedPostStore(database) });
  const publications = createPublications({ store, publishedPosts });
  return {
    statistics,
    publications,
    loops: {
      reads: createReads({
        store: readStore,
        publications,
        networks,
        accounts,
        access: access.forReading,
        readMetrics,
        clock,
        report,
      }),
    },
    readSoon: readStore.readSoon,
    routes: statisticsRoutes({ statistics }),
  };
};
