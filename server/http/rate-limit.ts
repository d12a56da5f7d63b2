import type { ServerResponse } from 'node:http';
import type { Clock } from '#server/clock';
import { Refusal } from '#server/errors';

const windowMs = 60_000;

export type RateLimit = ReturnType<typeof createRateLimit>;

/** So many requests a minute and key. All counts start anew together, so that forgetting them is one line. */
export const createRateLimit = ({ perMinute, clock }: { perMinute: number; clock: Clock }) => {
  const counts = new Map<string, number>();
  const policy = `"api";q=${perMinute};w=${windowMs / 1000}`;
  let window = 0;

  return {
    /** Writes the headers of the answer; throws TooManyRequests over the limit. */
    take: (key: string, res: ServerResponse) => {
      const now = clock.now().getTime();
      const current = Math.floor(now / windowMs);
      if (current !== window) {
        window = current;
        counts.clear();
      }
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      const secondsLeft = Math.ceil(((current + 1) * windowMs - now) / 1000);
      res.setHeader('ratelimit-policy', policy);
      res.setHeader('ratelimit', `"api";r=${Math.max(0, perMinute - count)};t=${secondsLeft}`);
      if (count > perMinute) {
        res.setHeader('retry-after', secondsLeft);
        throw new Refusal(
          'TooManyRequests',
          `More than ${perMinute} requests in a minute. Wait ${secondsLeft} seconds, then try again.`,
        );
      }
    },
  };
};
