/** At most `count` callers hold it at once; the others wait in the order in which they came. */
export const createSemaphore = (count: number) => {
  let free = count;
  const waiting: (() => void)[] = [];

  /** What it answers gives the place back, once. */
  const release = () => {
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
    return release();
  };
};
