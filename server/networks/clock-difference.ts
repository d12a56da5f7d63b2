import type { Site } from './network.ts';
import type { Request } from './request.ts';

/** Half of what adapters allow for clocks that differ, when they look for a post among those since it was begun. */
const mostMs = 60_000;

/**
 * A site that compares its clock with ours. When ours is ahead, what was sent a moment ago looks older than its sending, and a
 * network that is asked for newer posts does not name it.
 */
export const watchClock = (site: Site) => {
  let aheadMs = 0;
  const request: Request = async (asked) => {
    const answer = await site.request(asked);
    const told = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(told)) aheadMs = Math.max(aheadMs, site.now().getTime() - told);
    return answer;
  };
  return { site: { ...site, request }, isBehind: () => aheadMs > mostMs };
};
