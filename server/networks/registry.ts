import type { Option } from '#contracts/providers';
import { withCarefulConfirm } from './careful-confirm.ts';
import { withFit } from './fit.ts';
import type { Network } from './network.ts';

export interface Networks {
  readonly all: readonly Network[];
  /** For keys from stored records. A missing network is an internal error, not the caller's. */
  get(key: string): Network;
  find(key: string): Network | undefined;
  option(key: string): { network: Network; option: Option } | undefined;
}

export const createNetworks = (folders: readonly Network[]): Networks => {
  const all = folders.map(withFit).map(withCarefulConfirm);
  const byKey = new Map(all.map((network) => [network.key, network]));
  const options = new Map(
    all.flatMap((network) => network.options.map((option) => [option.key, { network, option }] as const)),
  );
  return {
    all,
    get: (key) => {
      const network = byKey.get(key);
      if (network === undefined) throw new Error(`There is no network ${key}. Was its folder removed?`);
      return network;
    },
    find: (key) => byKey.get(key),
    option: (key) => options.get(key),
  };
};
