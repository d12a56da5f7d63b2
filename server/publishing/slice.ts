import type { AccountAccess } from '#server/accounts/access';
import type { Clock, Stopwatch } from '#server/clock';
import type { Config } from '#server/config';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { Outcomes } from '#server/posts/outcome';
import type { Statistics } from '#server/statistics/post-metrics';
import type { Database } from '#server/store/database';
import { createPublishing } from './due-work.ts';
import type { PublishingFigures } from './figures.ts';
import { createPublishingStore } from './store.ts';

export const openPublishing = ({
  database,
  figures,
  config: { sendsPerNetwork, sendLeaseMs, lateGraceMs },
  ...parts
}: {
  database: Database;
  networks: Networks;
  access: AccountAccess;
  library: MediaLibrary;
  outcomes: Outcomes;
  statistics: Pick<Statistics, 'published'>;
  figures: PublishingFigures;
  config: Config;
  startStopwatch: () => Stopwatch;
  clock: Clock;
  report: (error: unknown) => void;
}) => {
  const store = createPublishingStore(database);
  figures.watchOverdue(store.overdue);
  return createPublishing({
    ...parts,
    store,
    figures,
    perNetwork: sendsPerNetwork,
    leaseMs: sendLeaseMs,
    graceMs: lateGraceMs,
  });
};
