import { type Clock, movedMsOf } from '#server/clock';
import type { Site } from './network.ts';
import type { Request } from './request.ts';

/** Between two readings of the machine's clock. */
const readingMs = 1_000;

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
     * The network's time, or a moment earlier: `Date` has whole seconds, and the answer takes time. Undefined when it has
     * not answered with a `Date` yet, or the sandbox clock was moved since.
     */
    nowMs: (server: string) => {
      const last = seen.get(server);
      if (last === undefined || Math.abs(movedMs() - last.movedMs) > readingMs) return undefined;
      return last.dateMs + performance.now() - last.atMs;
    },
  };
};
