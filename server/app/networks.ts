import { openAccounts } from '#server/accounts/slice';
import type { Stopwatch } from '#server/clock';
import { openSites } from '#server/networks/open-sites';
import type { Outbound } from '#server/outbound/guarded-client';
import type { Seal } from '#server/secrets/seal';
import type { Core } from './core.ts';
import type { Messaging } from './messaging.ts';
import { wireProviders } from './providers.ts';

export type Networks = ReturnType<typeof wireNetworks>;

/** The networks, their sites, and the accounts that are connected on them. */
export const wireNetworks = ({
  core,
  messaging,
  outbound,
  seal,
  ownUrl,
  startStopwatch,
}: {
  core: Core;
  messaging: Messaging;
  outbound: Outbound;
  seal: Seal;
  ownUrl: () => string;
  startStopwatch: (() => Stopwatch) | undefined;
}) => {
  const { registry, database, config, clock, report } = core;
  const { networks, providers } = wireProviders({ registry, config });
  const { sites } = registry.open('networks/sites', openSites({ outbound, ownUrl, config, clock }));
  const accounts = registry.open(
    'accounts',
    openAccounts({
      database,
      networks,
      sites,
      events: messaging.webhooks.events,
      notifications: messaging.notifications.notifications,
      audit: core.audit.audit,
      live: core.live.live,
      outbound,
      seal,
      config,
      clock,
      report,
      startStopwatch,
    }),
  );
  return { networks, providers, accounts };
};
