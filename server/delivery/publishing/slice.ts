import { type Clock, type Stopwatch, startStopwatch as startSystemStopwatch } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Live } from '#server/base/live/live';
import type { Database } from '#server/base/store/database';
import type { AccountAccess } from '#server/connecting/accounts/access';
import type { Publications } from '#server/delivery/statistics/publications';
import type { FittedFiles } from '#server/media/fitted-files';
import type { MediaLibrary } from '#server/media/library';
import type { Networks } from '#server/networks/registry';
import type { Lifecycle } from '#server/writing/posts/lifecycle';
import type { LinkCards } from '#server/writing/posts/link-cards';
import type { Outcomes } from '#server/writing/posts/outcome';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import { createBegin } from './begin.ts';
import { createBeginStore } from './begin-store.ts';
import { createDuePostStore } from './due-post-store.ts';
import { createHeldPostStore } from './held-post-store.ts';
import { createHeldPosts } from './held-posts.ts';
import type { PublishingMetrics } from './metrics.ts';
import { createSendProgress } from './progress.ts';
import { createPublishControlStore } from './publish-control-store.ts';
import { createPublishControls } from './publish-controls.ts';
import { createPublishing } from './publishing.ts';
import { publishingRoutes } from './routes.ts';
import { createSendingStore } from './sending-store.ts';

export const openPublishing = ({
  database,
  metrics: { publishing: metrics },
  readiness,
  lifecycle,
  linkCards,
  reading,
  config: { sendsPerNetwork, sendLeaseMs, lateGraceMs },
  startStopwatch = () => startSystemStopwatch(),
  networks,
  access,
  library,
  fittedFiles,
  outcomes,
  publications,
  clock,
  live,
  report,
}: {
  database: Database;
  networks: Networks;
  access: AccountAccess;
  library: MediaLibrary;
  fittedFiles: FittedFiles;
  outcomes: Outcomes;
  readiness: Readiness;
  lifecycle: Lifecycle;
  linkCards: LinkCards;
  reading: Reading;
  publications: Publications;
  metrics: { readonly publishing: PublishingMetrics };
  config: Config;
  /** For tests, which move time. */
  startStopwatch?: (() => Stopwatch) | undefined;
  clock: Clock;
  live: Live;
  report: (error: unknown) => void;
}) => {
  const beginStore = createBeginStore(database);
  const duePostStore = createDuePostStore(database);
  metrics.watchOverdue(duePostStore.overdue);
  const sendProgress = createSendProgress({ live, report });
  const begin = createBegin({ store: beginStore, outcomes });
  const publishControls = createPublishControls({
    store: createPublishControlStore(database),
    beginStore,
    readiness,
    lifecycle,
    outcomes,
    reading,
    begin,
    networks,
    sendProgress,
  });
  return {
    loops: createPublishing({
      store: createSendingStore(database),
      duePostStore,
      beginStore,
      networks,
      access,
      library,
      fittedFiles,
      outcomes,
      publications,
      begin,
      metrics,
      startStopwatch,
      readPicture: linkCards.picture,
      note: sendProgress.note,
      perNetwork: sendsPerNetwork,
      leaseMs: sendLeaseMs,
      graceMs: lateGraceMs,
      clock,
      report,
    }),
    publishControls,
    heldPosts: createHeldPosts({ store: createHeldPostStore(database), beginStore, outcomes, begin }),
    routes: publishingRoutes({ publishControls }),
    close: sendProgress.close,
  };
};
