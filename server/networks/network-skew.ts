import { type Clock, systemClock } from '#server/clock';
import type { Network, Site } from './network.ts';

/** The network's clock minus this machine's, from the `Date` header of any answer, which has whole seconds. */
export const measureNetworkSkewMs = async (network: Network, site: Site, clock: Clock = systemClock) => {
  const [host] = Object.keys(network.hosts);
  if (host === undefined) return undefined;
  const sentMs = clock.now().getTime();
  const answer = await site.request({ url: `${site.host(host)}/` });
  const networkMs = Date.parse(answer.headers.date ?? '');
  return Number.isNaN(networkMs) ? undefined : networkMs - (sentMs + clock.now().getTime()) / 2;
};
