/** At most `count` callers hold it at once; the others wait in order. */
export const createSemaphore = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];

  /** Calling the release function twice has no further effect. */
  const createRelease = () => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = waiting.shift();
      if (next) next();
      else free++;
    };
  };

  return async (): Promise<() => void> => {
    if (free > 0) free--;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    return createRelease();
  };
};
