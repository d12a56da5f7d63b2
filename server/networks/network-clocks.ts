import { type Clock, movedMsOf } from '#server/clock';
import type { Site } from './network.ts';
import type { Request } from './request.ts';

/** Between two readings of the machine's clock. */
const readingMs = 1_000;
/** After a longer move of the sandbox clock, the last answer says too little. */
const mostMovedMs = 5 * 60_000;

/** The clocks of networks, as the `Date` header of their latest answers says. Kept by name of the server. */
export const createNetworkClocks = (clock: Clock) => {
  const seen = new Map<string, { readonly dateMs: number; readonly atMs: number; readonly movedMs: number }>();
  /** A move of the sandbox clock also moves the clocks of the sandbox networks. */
  const movedMs = () => movedMsOf(clock);

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

    /**
     * The network's time, or a moment earlier: `Date` has whole seconds, the answer takes time, and the sandbox clock may
     * have been moved forward a little since. Undefined when it has not answered with a `Date` yet, or that move was long.
     */
    nowMs: (server: string) => {
      const last = seen.get(server);
      if (last === undefined) return undefined;
      const movedSinceMs = movedMs() - last.movedMs;
      if (movedSinceMs < -readingMs || movedSinceMs > mostMovedMs) return undefined;
      return last.dateMs + performance.now() - last.atMs;
    },
  };
};
