import type { Site } from './network.ts';
import type { Request } from './request.ts';

/** Smaller differences are noise: `Date` has whole seconds, and the answer takes time. */
const toleranceMs = 5_000;

/** Compares the network's clock, from the `Date` header of its answers, with the database's clock. */
export const watchClock = (site: Site, now: () => number) => {
  let aheadMs: number | undefined;
  const request: Request = async (options) => {
    const answer = await site.request(options);
    const dateMs = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(dateMs)) aheadMs = dateMs - now();
    return answer;
  };
  return {
    site: { ...site, request },
    /** How far the network's clock is ahead of ours: 0 within the tolerance, undefined without a `Date` header. */
    networkAheadMs: () => (aheadMs !== undefined && Math.abs(aheadMs) <= toleranceMs ? 0 : aheadMs),
  };
};
