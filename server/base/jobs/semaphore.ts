/** At most `count` callers hold it at once; the others wait in order. Rejects when the signal aborts the wait. */
export const createSemaphore = (count: number) => {
  let free = count;
  const waiting = new Set<() => void>();

  /** Calling the release function twice has no further effect. */
  const createRelease = () => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const [next] = waiting;
      if (next === undefined) free++;
      else {
        waiting.delete(next);
        next();
      }
    };
  };

  const waitForTurn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const abort = () => {
        waiting.delete(begin);
        reject(signal?.reason);
      };
      const begin = () => {
        signal?.removeEventListener('abort', abort);
        resolve();
      };
      waiting.add(begin);
      signal?.addEventListener('abort', abort);
    });

  return async (signal?: AbortSignal): Promise<() => void> => {
    if (free > 0) free--;
    else await waitForTurn(signal);
    return createRelease();
  };
};
