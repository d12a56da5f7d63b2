import type sharp from 'sharp';

let loading: Promise<typeof sharp> | undefined;

/** Comes with the first picture: it takes 20 MB of memory, and most processes see none. */
export const loadSharp = (): Promise<typeof sharp> => {
  loading ??= import('sharp').then(({ default: loaded }) => {
    // The cache of operations keeps decoded pictures, hundreds of MB each, and files open that are moved or removed next.
    // Nobody asks for the same operation twice.
    loaded.cache(false);
    return loaded;
  });
  return loading;
};
