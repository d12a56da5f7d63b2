import type { Clock } from '#server/base/clock';
import type { Config } from '#server/base/config/config';
import type { Outbound } from '#server/base/outbound/guarded-client';
import { createSandboxClient } from '#server/base/outbound/sandbox-client';
import { createRequest } from './request.ts';
import { createSites } from './sites.ts';

/** Live networks are reached through the guarded client, sandboxes on this machine. */
export const openSites = ({
  outbound,
  ownUrl,
  config: { baseUrl, sandboxUrl: sandboxElsewhere, networkTimeoutMs, setting },
  clock,
}: {
  outbound: Outbound;
  ownUrl: () => string;
  config: Config;
  clock: Clock;
}) => {
  const sandboxUrl = () => sandboxElsewhere ?? ownUrl();
  const sandboxClient = createSandboxClient(sandboxUrl);
  return {
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
