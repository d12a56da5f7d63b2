import type { Account } from '#contracts/accounts';
import type { Networks } from '#server/networks/registry';

export type Match = { readonly accountId: string } | { readonly message: string };

/** Finds accounts by `network:handle`, as files of ours and of others write them. */
export const createMatching = (accounts: readonly Account[], networks: Networks) => {
  const keyOf = new Map(
    networks.all.flatMap(({ key, name, alsoCalled = [] }) =>
      [key, name, ...alsoCalled].map((one) => [tidyNetwork(one), key]),
    ),
  );
  const remembered = new Map<string, Match>();

  const match = (written: string): Match => {
    const colon = written.indexOf(':');
    const shown = written.slice(0, 100);
    if (colon < 1) return { message: `must name accounts as network:handle, not ${shown}` };
    const network = keyOf.get(tidyNetwork(written.slice(0, colon)));
    if (network === undefined) return { message: `names ${shown}, a network that is not offered here` };
    const handle = tidyHandle(written.slice(colon + 1));
    const there = accounts.filter((account) => account.network === network);
    const byHandle = there.filter((account) => tidyHandle(account.handle) === handle);
    // Some tools tell the name of an account alone.
    const found = byHandle.length > 0 ? byHandle : there.filter((account) => tidyHandle(account.name) === handle);
    const [account] = found;
    if (account === undefined) return { message: `names ${shown}, which is not connected to this workspace` };
    if (found.length > 1)
      return { message: `names ${shown}, which is the name of ${found.length} accounts; write network:handle` };
    return { accountId: account.id };
  };

  return (written: string): Match => {
    const known = remembered.get(written) ?? match(written);
    if (remembered.size < mostRemembered) remembered.set(written, known);
    return known;
  };
};

const mostRemembered = 1000;

const tidyNetwork = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '_');
const tidyHandle = (handle: string) => handle.trim().toLowerCase().replace(/^@/, '');
