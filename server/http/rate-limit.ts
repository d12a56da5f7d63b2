import type { ServerResponse } from 'node:http';
import type { Clock } from '#server/clock';
import { Refusal } from '#server/errors';

export type RateLimit = ReturnType<typeof createRateLimit>;

/** So many requests per window and key. All counts start anew together, so that forgetting them is one line. */
export const createRateLimit = ({
  name,
  limit,
  windowMs,
  clock,
}: {
  name: string;
  limit: number;
  windowMs: number;
  clock: Clock;
}) => {
  const counts = new Map<string, number>();
  const policy = `"${name}";q=${limit};w=${windowMs / 1000}`;
  let window = 0;

  const count = (key: string) => {
    const now = clock.now().getTime();
    const current = Math.floor(now / windowMs);
    if (current !== window) {
      window = current;
      counts.clear();
    }
    const used = (counts.get(key) ?? 0) + 1;
    counts.set(key, used);
    return {
      left: Math.max(0, limit - used),
      secondsLeft: Math.ceil(((current + 1) * windowMs - now) / 1000),
      over: used > limit,
    };
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
    /** For a limit of its own on top of the one that the headers tell. */
    count: (key: string) => {
      const { over, secondsLeft } = count(key);
      if (over) throw refuse(secondsLeft);
    },

    /** Also writes the headers of the answer. */
    take: (key: string, res: ServerResponse) => {
      const { left, over, secondsLeft } = count(key);
      res.setHeader('ratelimit-policy', policy);
      res.setHeader('ratelimit', `"${name}";r=${left};t=${secondsLeft}`);
      if (over) throw refuse(secondsLeft);
    },
  };
};
