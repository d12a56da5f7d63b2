import type { AccountAccess } from '#server/accounts/access';
import type { Accounts } from '#server/accounts/connected';
import type { Clock } from '#server/clock';
import type { Networks } from '#server/networks/registry';
import type { Reading } from '#server/posts/reading';
import type { Database } from '#server/store/database';
import { createStatistics } from './post-metrics.ts';
import { createReads } from './reads.ts';
import { statisticsRoutes } from './routes.ts';
import { createStatisticsStore } from './store.ts';

export const openStatistics = ({
  database,
  networks,
  accounts,
  access,
  reading,
  clock,
  report,
}: {
  database: Database;
  networks: Networks;
  accounts: Accounts;
  access: AccountAccess['forReading'];
  reading: Reading;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createStatisticsStore(database);
  const statistics = createStatistics({ store, networks, reading });
  return {
    statistics,
    reads: createReads({ store, networks, accounts, access, clock, report }),
    readSoon: store.readSoon,
    routes: statisticsRoutes({ statistics }),
  };
};
