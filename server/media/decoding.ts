import { bounds } from '#server/bounds';

let underWay = 0;
const waiting: { readonly pixels: number; readonly begin: () => void }[] = [];

/** A decoded picture is many times larger than its file, so this many pixels are decoded at once and the rest wait. */
export const withPixels = async <T>(pixels: number, work: () => Promise<T>): Promise<T> => {
  await new Promise<void>((begin) => {
    waiting.push({ pixels, begin });
    admit();
  });
  try {
    return await work();
  } finally {
    underWay -= pixels;
    admit();
  }
};

/** In the order of arrival, so that a large one does not wait for ever. */
const admit = () => {
  for (let [next] = waiting; next !== undefined; [next] = waiting) {
    if (underWay > 0 && underWay + next.pixels > bounds.concurrentPixels) return;
    waiting.shift();
    underWay += next.pixels;
    next.begin();
  }
};

/** For tests and metrics. */
export const concurrentPixels = () => underWay;
