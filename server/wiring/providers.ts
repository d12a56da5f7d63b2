import { networks as folders } from '#generated/networks';
import type { Config } from '#server/base/config/config';
import type { Registry } from '#server/base/registry';
import { openProviders } from '#server/connecting/providers/slice';
import { createNetworks } from '#server/networks/registry';

export const openNetworks = () => createNetworks(folders);

/** Every network, and which of them are live, for `doctor`: without the database and the HTTP client of the rest. */
export const wireProviders = ({ registry, config }: { registry: Registry; config: Config }) => {
  const networks = openNetworks();
  return { networks, providers: registry.open('providers', openProviders({ networks, config })).providers };
};
