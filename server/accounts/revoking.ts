import { setTimeout as sleep } from 'node:timers/promises';
import type { Network, Tokens } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asTrouble } from '#server/networks/trouble';
import type { AccountRow } from './account-row.ts';
import type { NetworkAccess } from './network-access.ts';
import type { AccountStore } from './store.ts';

const patienceMs = 15_000;
/** Nobody waits longer for a stop because of it. */
const closeMs = 2_000;

export type Revoking = ReturnType<typeof createRevoking>;

/**
 * Ends the access of accounts that are no longer connected, at their networks. Nobody waits for it, it is tried once, and
 * a process that is killed forgets it: then the tokens, which nobody has any more, end by themselves.
 */
export const createRevoking = ({
  store,
  networkAccess,
  networks,
  afterCommit,
  report,
}: {
  store: AccountStore;
  networkAccess: NetworkAccess;
  networks: Networks;
  afterCommit: (work: () => void) => void;
  report: (error: unknown) => void;
}) => {
  const underWay = new Set<Promise<unknown>>();
  let closed = false;

  /** Asked when it is gone itself, and as late as can be: it may have been connected again. */
  const isNeeded = async (row: AccountRow, network: Network, tokens: Tokens): Promise<boolean> => {
    if (network.revokesWholeApp) {
      const ofSameApp = networks.all.filter(({ settings }) => settings.join() === network.settings.join());
      return store.hasConnected(
        ofSameApp.map(({ key }) => key),
        row.sandbox,
      );
    }
    const others = await store.relatives(row);
    return others.some(
      (other) => other.externalId === row.externalId || grantOf(networkAccess.open(other)?.tokens) === grantOf(tokens),
    );
  };

  const revoke = async (row: AccountRow) => {
    const network = networks.get(row.network);
    const account = network.revoke && networkAccess.open(row);
    if (account === undefined || (await isNeeded(row, network, account.tokens))) return;
    await network.revoke?.(await networkAccess.siteOf(network, row), account);
  };

  const revokeAll = async (rows: readonly AccountRow[]) => {
    for (const row of rows) {
      if (closed) return;
      const tried = revoke(row).catch((error: unknown) => {
        if (!closed) asTrouble(error, report);
      });
      await Promise.race([tried, sleep(patienceMs, undefined, { ref: false })]);
    }
  };

  const begin = (rows: readonly AccountRow[]) => {
    const work = revokeAll(rows).finally(() => underWay.delete(work));
    underWay.add(work);
  };

  return {
    /** With the tokens that they had, in the transaction that takes them away. */
    disconnected: (rows: readonly AccountRow[]) => afterCommit(() => begin(rows)),
    ended: () => Promise.all(underWay),
    /** Before the networks and the database are closed. What is not done by then is forgotten. */
    close: async () => {
      await Promise.race([Promise.all(underWay), sleep(closeMs, undefined, { ref: false })]);
      closed = true;
    },
  };
};

/** Accounts that came with one consent have the same. */
const grantOf = (tokens: Tokens | undefined) => tokens && (tokens.refreshToken ?? tokens.accessToken);
