import type sharp from 'sharp';
import type { Sharp } from 'sharp';
import { bounds } from '#server/base/bounds';

let loading: Promise<typeof sharp> | undefined;

/** Loaded with the first picture, because it takes 20 MB of memory and most processes never see one. */
export const loadSharp = (): Promise<typeof sharp> => {
  loading ??= import('sharp').then(({ default: loaded }) => {
    // The cache would hold decoded pictures of hundreds of MB, and open files that are moved or removed next. No operation
    // runs twice, so it would never be hit.
    loaded.cache(false);
    return loaded;
  });
  return loading;
};

/** For pictures from outside. Rejects when the bytes are no picture, or one of more than `mostPixels`. */
export const decodePicture = async <T>(bytes: Buffer, mostPixels: number, work: (image: Sharp) => Promise<T>) => {
  const image = (await loadSharp())(bytes, { limitInputPixels: mostPixels, failOn: 'error' });
  const { width, height } = await image.metadata();
  return withPixels(width * height, () => work(image));
};

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
