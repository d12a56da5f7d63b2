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

  const look = (key: string) => {
    const now = clock.now().getTime();
    const current = Math.floor(now / windowMs);
    if (current !== window) {
      window = current;
      counts.clear();
    }
    const used = (counts.get(key) ?? 0) + 1;
    counts.set(key, used);
    return { left: limit - used, secondsLeft: Math.ceil(((current + 1) * windowMs - now) / 1000) };
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
  };
};
