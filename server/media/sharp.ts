import type sharp from 'sharp';

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
