import { networks as folders } from '#generated/networks';
import type { Config } from '#server/base/config/config';
import type { Registry } from '#server/base/registry';
import { openProvidersOf } from '#server/connecting/open';
import { createNetworks } from '#server/networks/registry';

export const openNetworks = () => createNetworks(folders);

/** Every network, and which of them are live, for `doctor`. */
export const wireProviders = ({ registry, config }: { registry: Registry; config: Config }) => {
  const networks = openNetworks();
  return { networks, providers: openProvidersOf({ registry, config, networks }).providers };
};
