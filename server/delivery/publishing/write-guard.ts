import type { Stopwatch } from '#server/base/clock';
import type { Site } from '#server/networks/network';
import { NetworkTrouble } from '#server/networks/trouble';

/** A site that stops writing when too much time has passed since the mark, even in the middle of a long body. */
export const guardWrites = (
  site: Site,
  {
    sinceBegun,
    withinMs,
    startStopwatch,
    onFirstWrite,
  }: { sinceBegun: Stopwatch; withinMs: number; startStopwatch: () => Stopwatch; onFirstWrite: () => void },
): Site => {
  let sinceWritten = sinceBegun;
  let hasWritten = false;
  const noteWrite = (may: boolean) => {
    if (may) {
      sinceWritten = startStopwatch();
      if (!hasWritten) onFirstWrite();
      hasWritten = true;
    }
    return may;
  };
  const guard = {
    mayBegin: () => noteWrite(sinceBegun() < withinMs),
    mayContinue: () => noteWrite(sinceWritten() < withinMs),
  };
  return {
    ...site,
    request: async (request) => {
      const hadWritten = hasWritten;
      try {
        return await site.request({ ...request, guard });
      } catch (error) {
        // This request never reached the network, but an earlier one of the same send was written.
        if (!hadWritten || !(error instanceof NetworkTrouble) || error.reached) throw error;
        const { networkCode } = error;
        throw new NetworkTrouble('unknown', error.message, { ...(networkCode !== undefined && { networkCode }) });
      }
    },
  };
};
