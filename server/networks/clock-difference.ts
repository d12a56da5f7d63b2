import type { Site } from './network.ts';
import type { Request } from './request.ts';

/** More than this is worth correcting: a `Date` has whole seconds, and an answer takes some time. */
const tolerableMs = 5_000;

/** A site that compares the clock of the network, as its answers have it in `Date`, with the clock that rows are written by. */
export const watchClock = (site: Site, now: () => number) => {
  let aheadMs: number | undefined;
  const request: Request = async (asked) => {
    const answer = await site.request(asked);
    const dateMs = Date.parse(answer.headers.date ?? '');
    if (!Number.isNaN(dateMs)) aheadMs = dateMs - now();
    return answer;
  };
  return {
    site: { ...site, request },
    /** How far the network's clock is ahead of ours; 0 when that makes no difference, undefined when it never told. */
    networkAheadMs: () => (aheadMs !== undefined && Math.abs(aheadMs) <= tolerableMs ? 0 : aheadMs),
  };
};
