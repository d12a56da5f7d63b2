import { type Clock, movedMsOf } from '#server/base/clock';
import { answerWithin } from '#server/base/health/answer-within';
import type { Site } from './network.ts';
import type { Request } from './request.ts';

/** Between two readings of the machine's clock. */
const readingMs = 1_000;
/** After a longer move of the sandbox clock, the last answer says too little. */
const mostMovedMs = 5 * 60_000;

/** How long a send waits for the network's time, and how long the next ones do not wait if it did not tell it. */
const learnMs = 3_000;
const learnAgainMs = 60_000;

export type NetworkClocks = ReturnType<typeof createNetworkClocks>;

/** The clocks of networks, as the `Date` header of their latest answers says. Kept by name of the server. */
export const createNetworkClocks = (clock: Clock) => {
  const seen = new Map<string, { readonly dateMs: number; readonly atMs: number; readonly movedMs: number }>();
  /** A move of the sandbox clock also moves the clocks of the sandbox networks. */
  const movedMs = () => movedMsOf(clock);

  /**
   * The network's time, or a moment earlier: `Date` has whole seconds, the answer takes time, and the sandbox clock may
   * have been moved forward a little since. Undefined when it has not answered with a `Date` yet, or that move was long.
   */
  const nowMs = (server: string) => {
    const last = seen.get(server);
    if (last === undefined) return undefined;
    const movedSinceMs = movedMs() - last.movedMs;
    if (movedSinceMs < -readingMs || movedSinceMs > mostMovedMs) return undefined;
    return last.dateMs + performance.now() - last.atMs;
  };

  const asking = new Map<string, Promise<void>>();
  const silentSince = new Map<string, number>();

  const askOnce = async (server: string, ask: () => Promise<unknown>) => {
    await answerWithin(ask, learnMs).catch(() => undefined);
    asking.delete(server);
    if (nowMs(server) === undefined) silentSince.set(server, performance.now());
  };

  return {
    watch: (server: string, site: Site): Site => {
      const request: Request = async (options) => {
        const answer = await site.request(options);
        const dateMs = Date.parse(answer.headers.date ?? '');
        if (!Number.isNaN(dateMs)) seen.set(server, { dateMs, atMs: performance.now(), movedMs: movedMs() });
        return answer;
      };
      return { ...site, request };
    },

    nowMs,

    /** Waits until the network has told its time, or does not tell it. `ask` is a watched request, and may fail. */
    learn: async (server: string, ask: () => Promise<unknown>) => {
      const silentMs = performance.now() - (silentSince.get(server) ?? Number.NEGATIVE_INFINITY);
      if (nowMs(server) !== undefined || silentMs < learnAgainMs) return;
      const request = asking.get(server) ?? askOnce(server, ask);
      asking.set(server, request);
      await request;
    },
  };
};
