import type { Live } from '#server/base/live/live';

/** How long an entry lives, and how long nothing is cached after access has changed. */
const cacheMs = 1_000;
const maxEntries = 10_000;

/**
 * Caches whom a token acts for, so that a burst of requests queries the database once. Every change of access is
 * announced to all instances and clears the cache. A query that is already running may still return the old access, so
 * nothing is cached for a while after that. While this instance receives no announcements, it does not use the cache.
 */
export const createCallerCache = <Value>({ live }: { live: Pick<Live, 'isListening' | 'onAccessChanged'> }) => {
  let entries = new Map<string, { value: Value; untilMs: number }>();
  let disabledUntilMs = 0;

  live.onAccessChanged(() => {
    entries = new Map();
    disabledUntilMs = performance.now() + cacheMs;
  });

  return {
    get: (key: string): Value | undefined => {
      const entry = entries.get(key);
      return entry && entry.untilMs > performance.now() && live.isListening() ? entry.value : undefined;
    },

    set: (key: string, value: Value) => {
      const nowMs = performance.now();
      if (nowMs < disabledUntilMs) return;
      if (entries.size >= maxEntries) entries = new Map();
      entries.set(key, { value, untilMs: nowMs + cacheMs });
    },
  };
};
