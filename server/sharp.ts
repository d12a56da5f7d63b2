import type sharp from 'sharp';

let loading: Promise<typeof sharp> | undefined;

/** Comes with the first picture: it takes 20 MB of memory, and most processes see none. */
export const loadSharp = (): Promise<typeof sharp> => {
  loading ??= import('sharp').then(({ default: loaded }) => {
    // The cache would keep files open that are moved or removed next.
    loaded.cache({ files: 0 });
    return loaded;
  });
  return loading;
};
