import { join } from 'node:path';
import { withFit } from '#server/networks/fit';
import type { Network } from '#server/networks/network';
import { networkKeys } from './emit-registries.ts';

/**
 * All values of shared schemas, by schema name. They come from the network folders, because contracts name no network.
 */
export type ClosedSets = Readonly<Record<string, readonly string[]>>;

export const readClosedSets = async (root: string): Promise<ClosedSets> => {
  const keys = await networkKeys(root);
  const options = await Promise.all(
    keys.map(async (key) => {
      const folder = (await import(join(root, 'server/networks', key, 'index.ts'))) as { default: Network };
      return withFit(folder.default).options.map((option) => option.key);
    }),
  );
  return { NetworkKey: keys, OptionKey: options.flat() };
};
