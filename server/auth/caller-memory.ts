import type { Live } from '#server/live/open-tabs';

/** How long it may be remembered who a token acts for, and how long nothing is remembered after access has changed. */
const rememberedMs = 1_000;
const mostRemembered = 10_000;

/**
 * Who was behind a token a moment ago, so that a burst of requests asks the database once. Whatever changes access says so
 * to all instances; as a change may be under way when that is heard, nothing is remembered for a while then. Without
 * hearing, nothing is remembered at all.
 */
export const createCallerMemory = <Found>({ live }: { live: Pick<Live, 'isListening' | 'onAccessChanged'> }) => {
  let remembered = new Map<string, { found: Found; untilMs: number }>();
  let silentUntilMs = 0;

  live.onAccessChanged(() => {
    remembered = new Map();
    silentUntilMs = performance.now() + rememberedMs;
  });

  return {
    get: (key: string): Found | undefined => {
      const known = remembered.get(key);
      return known && known.untilMs > performance.now() && live.isListening() ? known.found : undefined;
    },

    set: (key: string, found: Found) => {
      const nowMs = performance.now();
      if (nowMs < silentUntilMs) return;
      if (remembered.size >= mostRemembered) remembered = new Map();
      remembered.set(key, { found, untilMs: nowMs + rememberedMs });
    },
  };
};
