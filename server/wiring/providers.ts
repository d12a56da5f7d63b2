import { networks as folders } from '#generated/networks';
import type { Config } from '#server/base/config/config';
import type { Networks } from '#server/networks/registry';
import { createNetworks } from '#server/networks/registry';
import { openProviders } from '#server/connecting/providers/slice';
import type { Registry } from '#server/base/registry';

export const openNetworks = () => createNetworks(folders);

/**
 * Every network, and which of them are live. Needs neither database nor HTTP client, so `doctor` can open it without
 * the rest.
 */
export const wireProviders = ({
  registry,
  config,
  networks = openNetworks(),
}: {
  registry: Registry;
  config: Config;
  networks?: Networks;
}) => {
  const { providers } = registry.open('providers', openProviders({ networks, config }));
  return { networks, providers };
};
