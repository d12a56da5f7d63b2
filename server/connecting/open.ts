import type { Access } from '#server/access/open';
import type { Stopwatch } from '#server/base/clock';
import type { Outbound } from '#server/base/outbound/guarded-client';
import type { Seal } from '#server/base/secrets/seal';
import type { ProofOfPerson } from '#server/base/signed-in';
import { openAccounts } from '#server/connecting/accounts/slice';
import { openEnteredKeys } from '#server/connecting/providers/open-network-keys';
import { openProviders } from '#server/connecting/providers/slice';
import type { Messaging } from '#server/messaging/open';
import { openSites } from '#server/networks/open-sites';
import type { Networks } from '#server/networks/registry';
import type { OpenPeople } from '#server/people/workspaces/open-people';

export type Connecting = ReturnType<typeof openConnecting>;

/** The networks, their sites, and the accounts that are connected on them. */
export const openConnecting = ({
  access,
  people: { people },
  messaging,
  networks,
  outbound,
  seal,
  ownUrl,
  startStopwatch,
  mustProve,
}: {
  access: Access;
  people: OpenPeople;
  messaging: Messaging;
  networks: Networks;
  outbound: Outbound;
  seal: Seal;
  ownUrl: () => string;
  startStopwatch: (() => Stopwatch) | undefined;
  mustProve: ProofOfPerson['mustProve'];
}) => {
  const { registry, database, clock, wallClock, report } = access;
  const enteredKeys = registry.open(
    'providers/entered-keys',
    openEnteredKeys({ database, networks, config: access.config, live: access.live.live, seal, report }),
  );
  /** With the credentials that were entered in the app. */
  const config = { ...access.config, setting: enteredKeys.setting };
  const { providers } = registry.open('providers', openProviders({ networks, config }));
  const { sites } = registry.open('networks/sites', openSites({ outbound, ownUrl, config, clock }));
  const keySlice = registry.open(
    'providers/keys',
    enteredKeys.openNetworkKeys({ sites, people, mustProve, audit: access.audit.audit, wallClock }),
  );
  const { networkKeys } = keySlice;
  const accounts = registry.open(
    'accounts',
    openAccounts({
      database,
      networks,
      sites,
      events: messaging.webhooks.events,
      notifications: messaging.notifications.notifications,
      rights: access.auth.rights,
      audit: access.audit.audit,
      live: access.live.live,
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
