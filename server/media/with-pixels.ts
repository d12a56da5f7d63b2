import { bounds } from '#server/bounds';

let pixelsInUse = 0;
const waiting: { readonly pixels: number; readonly begin: () => void }[] = [];

/** A decoded picture is many times larger than its file, so only a bounded number of pixels is decoded at a time. */
export const withPixels = async <T>(pixels: number, work: () => Promise<T>): Promise<T> => {
  await new Promise<void>((begin) => {
    waiting.push({ pixels, begin });
    admit();
  });
  try {
    return await work();
  } finally {
    pixelsInUse -= pixels;
    admit();
  }
};

/** First come, first served, so that small pictures cannot starve a large one. */
const admit = () => {
  for (let [next] = waiting; next !== undefined; [next] = waiting) {
    if (pixelsInUse > 0 && pixelsInUse + next.pixels > bounds.concurrentPixels) return;
    waiting.shift();
    pixelsInUse += next.pixels;
    next.begin();
  }
};

/** For tests and metrics. */
export const countPixelsInUse = () => pixelsInUse;
