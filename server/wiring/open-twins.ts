import { networks as folders } from '#generated/networks';
import { sandboxes } from '#generated/sandboxes';
import { createNetworks } from '#server/networks/registry';
import { serveTwins } from '#server/simulation/twins/serve';

/** The sandboxes of all networks without a service around them. */
export const openTwins = (options: Omit<Parameters<typeof serveTwins>[0], 'folders' | 'networks'>) =>
  serveTwins({ ...options, folders: sandboxes, networks: createNetworks(folders).all });
