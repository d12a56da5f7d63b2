import { type Clock, systemClock } from '#server/base/clock';
import type { Network, Site } from './network.ts';

/** Any answer has a `Date`, also a refusal. */
export const askTime = async (network: Network, site: Site) => {
  const [host] = Object.keys(network.hosts);
  return host === undefined ? undefined : site.request({ url: `${site.host(host)}/` });
};

/** The network's clock minus this machine's, from the `Date` header of any answer, which has whole seconds. */
export const measureNetworkSkewMs = async (network: Network, site: Site, clock: Clock = systemClock) => {
  const sentMs = clock.now().getTime();
  const answer = await askTime(network, site);
  const networkMs = Date.parse(answer?.headers.date ?? '');
  return Number.isNaN(networkMs) ? undefined : networkMs - (sentMs + clock.now().getTime()) / 2;
};
