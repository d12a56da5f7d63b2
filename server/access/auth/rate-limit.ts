import type { ServerResponse } from 'node:http';
import type { Clock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import { networkOf } from './password-tries.ts';
import type { CountStore } from './rate-limit-store.ts';

export type RateLimit = ReturnType<typeof createRateLimit>;
export type RateLimits = ReturnType<typeof createRateLimits>;

/**
 * Limits across all instances. Each instance counts in memory, so that requests do not wait, and adds its counts to
 * those of the others every second (`share`). So a caller can exceed the limit by what it sends to other instances in a
 * second.
 */
export const createRateLimits = ({ store, clock }: { store: CountStore; clock: Clock }) => {
  const all: RateLimit[] = [];
  return {
    create: (rule: Omit<Parameters<typeof createRateLimit>[0], 'store' | 'clock'>) => {
      const limit = createRateLimit({ ...rule, store, clock });
      all.push(limit);
      return limit;
    },

    share: async () => {
      for (const limit of all) await limit.share();
    },

    purge: () => store.purge(clock.now()),
  };
};

/** The key of an anonymous caller. A whole IPv6 /64 counts like one IPv4 address. */
export const keyOfAddress = (ip: string | undefined) => `address ${networkOf(ip ?? '')}`;

/** At most `limit` requests per window and key. All keys share one window, so that resetting is a single clear. */
const createRateLimit = ({
  name,
  limit,
  windowMs,
  store,
  clock,
}: {
  name: string;
  limit: number;
  windowMs: number;
  store: CountStore;
  clock: Clock;
}) => {
  /** Counts of all instances at the last `share`. */
  const sharedCounts = new Map<string, number>();
  /** Counts of this instance since then. */
  const ownCounts = new Map<string, number>();
  const policy = `"${name}";q=${limit};w=${windowMs / 1000}`;
  let window = 0;

  const count = (key: string) => {
    const now = clock.now().getTime();
    const current = Math.floor(now / windowMs);
    if (current !== window) {
      window = current;
      sharedCounts.clear();
      ownCounts.clear();
    }
    const ownCount = (ownCounts.get(key) ?? 0) + 1;
    ownCounts.set(key, ownCount);
    const remaining = limit - (sharedCounts.get(key) ?? 0) - ownCount;
    return { remaining, secondsLeft: Math.ceil(((current + 1) * windowMs - now) / 1000) };
  };

  const refuse = (secondsLeft: number) => {
    const refusal = new Refusal(
      'TooManyRequests',
      `More than ${limit} requests in ${windowMs / 1000} seconds. Wait ${secondsLeft} seconds, then try again.`,
    );
    refusal.retryAfterSeconds = secondsLeft;
    return refusal;
  };

  return {
    /** Counts a request, sets the rate limit headers, and throws if the limit is exceeded. */
    take: (key: string, res: ServerResponse) => {
      const { remaining, secondsLeft } = count(key);
      res.setHeader('ratelimit-policy', policy);
      res.setHeader('ratelimit', `"${name}";r=${Math.max(0, remaining)};t=${secondsLeft}`);
      if (remaining < 0) throw refuse(secondsLeft);
    },

    /** Like `take` without headers, for limits beside the main one. */
    mustHaveLeft: (key: string) => {
      const { remaining, secondsLeft } = count(key);
      if (remaining < 0) throw refuse(secondsLeft);
    },

    /** Adds the counts of this instance to the shared ones, and reads the sums. */
    share: async () => {
      const sharedWindow = window;
      const counts = [...ownCounts];
      if (counts.length === 0) return;
      const sums = await store.add(name, new Date((sharedWindow + 1) * windowMs), counts);
      if (window !== sharedWindow) return;
      for (const { key, used } of sums) sharedCounts.set(key, used);
      for (const [key, addedCount] of counts) {
        const rest = (ownCounts.get(key) ?? 0) - addedCount;
        if (rest > 0) ownCounts.set(key, rest);
        else ownCounts.delete(key);
      }
    },
  };
};
