import { minuteMs } from '#contracts/time';
import type { Waiting } from '#server/networks/network';
import type { NetworkTrouble } from '#server/networks/trouble';

/** Retry delays after temporary trouble. After the last one the send has failed. */
export const retryDelaysMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs];
/**
 * The longest wait for a network that is rate limiting, or processing the post. When the network names a time to retry,
 * LATE_GRACE is the limit instead.
 */
export const longestWaitMs = 60 * minuteMs;
const shortestWaitMs = minuteMs;
/** Bounds for polling a network that is still processing, whatever interval it names. */
const soonestMs = 200;
const latestMs = 5 * minuteMs;
/** A broken request may still be running at the network, so wait this long before asking whether the post exists. */
export const settleMs = minuteMs;

/** Undefined when waiting does not help. */
export const waitFor = ({ kind, until, reached }: NetworkTrouble, tries: number, now: Date): number | undefined => {
  if (kind === 'rateLimited') {
    const requestedMs = until ? until.getTime() - now.getTime() : shortestWaitMs;
    return Math.max(requestedMs, retryDelaysMs[tries] ?? longestWaitMs);
  }
  return kind === 'temporary' || kind === 'unknown' || !reached ? retryDelaysMs[tries] : undefined;
};

/** NaN becomes the shortest interval. */
export const askAgainMs = ({ forMs }: Waiting<unknown>) => (forMs > soonestMs ? Math.min(forMs, latestMs) : soonestMs);
