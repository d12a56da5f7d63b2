import { openAccounts } from '#server/connecting/accounts/slice';
import type { Stopwatch } from '#server/base/clock';
import { openSites } from '#server/networks/open-sites';
import type { Sites } from '#server/networks/sites';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { openNetworkKeys } from '#server/connecting/providers/open-network-keys';
import type { Seal } from '#server/base/secrets/seal';
import type { ProofOfPerson } from '#server/base/signed-in';
import type { Core } from '#server/wiring/core';
import type { Messaging } from '#server/messaging/open';
import { openNetworks, wireProviders } from '#server/wiring/providers';

export type Networks = ReturnType<typeof wireNetworks>;

/** The networks, their sites, and the accounts that are connected on them. */
export const wireNetworks = ({
  core,
  messaging,
  outbound,
  seal,
  ownUrl,
  startStopwatch,
  mustProve,
}: {
  core: Core;
  messaging: Messaging;
  outbound: Outbound;
  seal: Seal;
  ownUrl: () => string;
  startStopwatch: (() => Stopwatch) | undefined;
  mustProve: ProofOfPerson['mustProve'];
}) => {
  const { registry, database, clock, wallClock, report } = core;
  const networks = openNetworks();
  const keySlice = registry.open(
    'providers/keys',
    openNetworkKeys({
      database,
      networks,
      sites: (): Sites => sites,
      people: core.people.people,
      mustProve,
      config: core.config,
      audit: core.audit.audit,
      live: core.live.live,
      seal,
      wallClock,
      report,
    }),
  );
  const { networkKeys } = keySlice;
  /** Adds the credentials that were entered in the app. */
  const config = { ...core.config, setting: networkKeys.setting };
  const { providers } = wireProviders({ registry, config, networks });
  const { sites } = registry.open('networks/sites', openSites({ outbound, ownUrl, config, clock }));
  const accounts = registry.open(
    'accounts',
    openAccounts({
      database,
      networks,
      sites,
      events: messaging.webhooks.events,
      notifications: messaging.notifications.notifications,
      rights: core.auth.rights,
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
  return { networks, sites, providers, accounts, networkKeys, keySlice, config };
};
