import type { Access } from '#server/access/open';
import type { Stopwatch } from '#server/base/clock';
import type { Connecting } from '#server/connecting/open';
import { openAnalytics } from '#server/delivery/analytics/slice';
import { openPublishing } from '#server/delivery/publishing/slice';
import { openStatistics } from '#server/delivery/statistics/slice';
import type { Media } from '#server/media/open';
import type { Writing } from '#server/writing/open';

export type Delivery = ReturnType<typeof openDelivery>;

/** Publishing to the networks, and the statistics read back from them. */
export const openDelivery = ({
  access,
  connecting: { networks, providers, accounts, networkKeys },
  media: { media },
  writing: { posts },
  metrics,
  startStopwatch,
}: {
  access: Access;
  connecting: Connecting;
  media: Media;
  writing: Writing;
  metrics: Parameters<typeof openStatistics>[0]['metrics'] & Parameters<typeof openPublishing>[0]['metrics'];
  startStopwatch: (() => Stopwatch) | undefined;
}) => {
  const { registry, database, config, clock, report } = access;
  const { reading, readiness, lifecycle, linkCards, outcomes } = posts;
  const analytics = registry.open('analytics', openAnalytics({ database, networks }));
  const statistics = registry.open(
    'statistics',
    openStatistics({
      database,
      networks,
      accounts: accounts.accounts,
      access: accounts.access,
      reading,
      metrics,
      clock,
      report,
    }),
  );
  // Accounts and statistics need each other: statistics are read with the access of an account, and reconnecting an
  // account triggers a read. So accounts are opened in two parts, with statistics in between.
  const connecting = registry.open(
    'accounts/connecting',
    accounts.openConnecting({
      plans: access.plans.plans,
      providers,
      reconnected: statistics.readSoon,
      keysWorked: networkKeys.confirm,
    }),
  );
  const publishing = registry.open(
    'publishing',
    openPublishing({
      database,
      networks,
      access: accounts.access,
      library: media.library,
      fittedFiles: media.fittedFiles,
      outcomes,
      readiness,
      lifecycle,
      linkCards,
      reading,
      publications: statistics.publications,
      metrics,
      config,
      clock,
      live: access.live.live,
      report,
      startStopwatch,
    }),
  );
  return { analytics, statistics, connecting, publishing };
};
