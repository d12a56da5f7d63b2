import type { Account } from '#contracts/accounts';
import type { Networks } from '#server/networks/registry';

export type Match = { readonly accountId: string } | { readonly message: string };

/** Finds accounts by `network:handle`, in the notations of our own and other tools' files. */
export const createMatching = (accounts: readonly Account[], networks: Networks) => {
  const keyOf = new Map(
    networks.all.flatMap(({ key, name, alsoCalled = [] }) =>
      [key, name, ...alsoCalled].map((one) => [tidyNetwork(one), key]),
    ),
  );
  const cache = new Map<string, Match>();

  const match = (name: string): Match => {
    const colon = name.indexOf(':');
    const shown = name.slice(0, 100);
    if (colon < 1) return { message: `must name accounts as network:handle, not ${shown}` };
    const network = keyOf.get(tidyNetwork(name.slice(0, colon)));
    if (network === undefined) return { message: `names ${shown}, a network that is not offered here` };
    const handle = tidyHandle(name.slice(colon + 1));
    const onNetwork = accounts.filter((account) => account.network === network);
    const byHandle = onNetwork.filter((account) => tidyHandle(account.handle) === handle);
    // Some tools export only the display name of an account.
    const matches = byHandle.length > 0 ? byHandle : onNetwork.filter((account) => tidyHandle(account.name) === handle);
    const [account] = matches;
    if (account === undefined) return { message: `names ${shown}, which is not connected to this workspace` };
    if (matches.length > 1)
      return { message: `names ${shown}, which is the name of ${matches.length} accounts; write network:handle` };
    return { accountId: account.id };
  };

  return (name: string): Match => {
    const result = cache.get(name) ?? match(name);
    if (cache.size < maxCached) cache.set(name, result);
    return result;
  };
};

const maxCached = 1000;

const tidyNetwork = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
const tidyHandle = (handle: string) => handle.trim().toLowerCase().replace(/^@/, '');
