import type { ServerResponse } from 'node:http';
import type { Clock } from '#server/clock';
import { Refusal } from '#server/errors';
import { networkOf } from './password-tries.ts';
import type { CountStore } from './store.ts';

export type RateLimit = ReturnType<typeof createRateLimit>;
export type RateLimits = ReturnType<typeof createRateLimits>;

/**
 * Limits that hold for all instances together. An instance counts in memory, so that a request waits for nothing, and adds
 * its counts to those of the others every second (`share`): what a caller can have too much is what it sends in a second.
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

/** The key of somebody who is not known: whoever has a network of IPv6 has no more than one address of IPv4. */
export const keyOfAddress = (ip: string | undefined) => `address ${networkOf(ip ?? '')}`;

/** So many requests per window and key. All counts start anew together, so that forgetting them is one line. */
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
  /** Of all instances, when it was last shared. */
  const known = new Map<string, number>();
  /** Of this one since then. */
  const own = new Map<string, number>();
  const policy = `"${name}";q=${limit};w=${windowMs / 1000}`;
  let window = 0;

  const look = (key: string) => {
    const now = clock.now().getTime();
    const current = Math.floor(now / windowMs);
    if (current !== window) {
      window = current;
      known.clear();
      own.clear();
    }
    const since = (own.get(key) ?? 0) + 1;
    own.set(key, since);
    const left = limit - (known.get(key) ?? 0) - since;
    return { left, secondsLeft: Math.ceil(((current + 1) * windowMs - now) / 1000) };
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
    /** Counts one, and refuses when that is too many. Also writes the headers of the answer. */
    take: (key: string, res: ServerResponse) => {
      const { left, secondsLeft } = look(key);
      res.setHeader('ratelimit-policy', policy);
      res.setHeader('ratelimit', `"${name}";r=${Math.max(0, left)};t=${secondsLeft}`);
      if (left < 0) throw refuse(secondsLeft);
    },

    /** The same for a limit beside the one that the headers tell. */
    mustHaveLeft: (key: string) => {
      const { left, secondsLeft } = look(key);
      if (left < 0) throw refuse(secondsLeft);
    },

    /** Adds what was counted here to what all have counted, and learns the sums. */
    share: async () => {
      const shared = window;
      const counted = [...own];
      if (counted.length === 0) return;
      const sums = await store.add(name, new Date((shared + 1) * windowMs), counted);
      if (window !== shared) return;
      for (const { key, used } of sums) known.set(key, used);
      for (const [key, count] of counted) {
        const since = (own.get(key) ?? 0) - count;
        if (since > 0) own.set(key, since);
        else own.delete(key);
      }
    },
  };
};
