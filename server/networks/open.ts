import type { Clock } from '#server/clock';
import type { Config } from '#server/config';
import type { Outbound } from '#server/outbound/guarded-client';
import { createSandboxClient } from '#server/outbound/sandbox-client';
import type { Network } from './network.ts';
import { createNetworks } from './registry.ts';
import { createRequest } from './request.ts';
import { createSites } from './sites.ts';

/** The networks and the ways to ask them: the live ones through the guarded client, sandboxes on this machine. */
export const openNetworks = ({
  folders,
  outbound,
  ownUrl,
  config: { baseUrl, sandboxUrl: sandboxElsewhere, networkTimeoutMs, setting },
  clock,
}: {
  folders: readonly Network[];
  outbound: Outbound;
  ownUrl: () => string;
  config: Config;
  clock: Clock;
}) => {
  const sandboxUrl = () => sandboxElsewhere ?? ownUrl();
  const sandboxClient = createSandboxClient(sandboxUrl);
  return {
    networks: createNetworks(folders),
    sites: createSites({
      live: createRequest(outbound, networkTimeoutMs),
      sandbox: {
        request: createRequest(sandboxClient, networkTimeoutMs),
        url: sandboxUrl,
        baseUrl: sandboxElsewhere ?? baseUrl,
      },
      setting,
      clock,
    }),
    close: sandboxClient.close,
  };
};
