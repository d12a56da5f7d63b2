import { openAnalytics } from '#server/delivery/analytics/slice';
import type { Stopwatch } from '#server/base/clock';
import type { ServiceMetrics } from '#server/operation/metrics/metrics';
import { openPublishing } from '#server/delivery/publishing/slice';
import { openStatistics } from '#server/delivery/statistics/slice';
import type { Content } from '#server/planning/open';
import type { Core } from '#server/wiring/core';
import type { Networks } from '#server/connecting/open';

export type Publishing = ReturnType<typeof wirePublishing>;

/** Publishing to the networks, and the statistics read back from them. */
export const wirePublishing = ({
  core,
  networks: { networks, providers, accounts, networkKeys },
  content: { media, posts },
  metrics,
  startStopwatch,
}: {
  core: Core;
  networks: Networks;
  content: Content;
  metrics: ServiceMetrics;
  startStopwatch: (() => Stopwatch) | undefined;
}) => {
  const { registry, database, config, clock, report } = core;
  const { access } = accounts;
  const { reading, lifecycle, linkCards, outcomes } = posts;
  const analytics = registry.open('analytics', openAnalytics({ database, networks }));
  const statistics = registry.open(
    'statistics',
    openStatistics({
      database,
      networks,
      accounts: accounts.accounts,
      access,
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
      plans: core.plans.plans,
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
      access,
      library: media.library,
      renditions: media.renditions,
      outcomes,
      lifecycle,
      linkCards,
      reading,
      publications: statistics.publications,
      metrics,
      config,
      clock,
      live: core.live.live,
      report,
      startStopwatch,
    }),
  );
  return { analytics, statistics, connecting, publishing };
};
