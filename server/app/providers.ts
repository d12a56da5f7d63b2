import { networks as folders } from '#generated/networks';
import type { Config } from '#server/config/config';
import { createNetworks } from '#server/networks/registry';
import { openProviders } from '#server/providers/slice';
import type { Registry } from './registry.ts';

/** Every network, and which of them are live. Needs neither database nor HTTP client, so `doctor` opens this alone. */
export const wireProviders = ({ registry, config }: { registry: Registry; config: Config }) => {
  const networks = createNetworks(folders);
  const { providers } = registry.open('providers', openProviders({ networks, config }));
  return { networks, providers };
};
