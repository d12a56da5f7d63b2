import { bounds } from '#server/bounds';

let underWay = 0;
const waiting: { readonly pixels: number; readonly begin: () => void }[] = [];

/** A picture unfolds to many times its file: so many pixels are decoded at once, and the others wait for their turn. */
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

/** In the order in which they came, so that a large one is not passed for ever. */
const admit = () => {
  for (let [next] = waiting; next !== undefined; [next] = waiting) {
    if (underWay > 0 && underWay + next.pixels > bounds.pixelsUnderWay) return;
    waiting.shift();
    underWay += next.pixels;
    next.begin();
  }
};

/** For tests and figures. */
export const pixelsUnderWay = () => underWay;
