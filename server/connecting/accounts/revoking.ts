import { setTimeout as sleep } from 'node:timers/promises';
import type { Network, Tokens } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import { asTrouble } from '#server/networks/trouble';
import type { AccountRow } from './account-row.ts';
import type { AccountStore } from './account-store.ts';
import type { NetworkAccess } from './network-access.ts';

const timeoutMs = 15_000;
/** How long a stop of the service may wait for it. */
const closeMs = 2_000;

export type Revoking = ReturnType<typeof createRevoking>;

/**
 * Revokes the tokens of disconnected accounts at their networks. It runs in the background and only once: if the
 * process is killed, the tokens, which are no longer stored anywhere, expire by themselves.
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
  const pending = new Set<Promise<unknown>>();
  let isClosed = false;

  /** Checked right before revoking, because the account may have been reconnected meanwhile. */
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
      if (isClosed) return;
      const attempt = revoke(row).catch((error: unknown) => {
        if (!isClosed) asTrouble(error, report);
      });
      await Promise.race([attempt, sleep(timeoutMs, undefined, { ref: false })]);
    }
  };

  const begin = (rows: readonly AccountRow[]) => {
    const work = revokeAll(rows).finally(() => pending.delete(work));
    pending.add(work);
  };

  return {
    /** Call in the transaction that disconnects the accounts, with the tokens they had. */
    revokeAfterCommit: (rows: readonly AccountRow[]) => afterCommit(() => begin(rows)),
    /** Waits until all running revocations have succeeded or failed. */
    settled: () => Promise.all(pending),
    /** Call before the networks and the database are closed. Unfinished revocations are dropped. */
    close: async () => {
      await Promise.race([Promise.all(pending), sleep(closeMs, undefined, { ref: false })]);
      isClosed = true;
    },
  };
};

/** Accounts connected by one consent share a token, so revoking it would disconnect all of them. */
const grantOf = (tokens: Tokens | undefined) => tokens && (tokens.refreshToken ?? tokens.accessToken);
