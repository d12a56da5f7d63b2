import { type Check, checksNamed, countOf } from '#server/base/health/check';
import type { Database } from '#server/base/store/database';
import { type AccountStore, createAccountStore, sealedTokens } from './account-store.ts';
import { sealedConnections } from './connection-store.ts';
import { sealedRegistrations } from './network-access-store.ts';

/**
 * Queries for commands. Separate from the slice, because its rules load the networks, which takes too long for a
 * command.
 */
export const openAccountInspection = ({ database }: { database: Database }) => {
  const store = createAccountStore(database);
  return {
    due: { accounts: store.msToRefresh },
    sealed: [sealedTokens(database), sealedRegistrations(database), sealedConnections(database)],
    checks: { accounts: () => checkAccounts(store) },
    /** Keys of the networks with a connected account, not counting sandboxes. */
    liveNetworks: store.liveNetworks,
    /** Whether any workspace has a connected account on a live network. */
    hasLiveAccount: store.hasLive,
  };
};

const checkAccounts = async (store: AccountStore): Promise<Check> => {
  const [first, ...others] = await store.toReconnect();
  const accounts = checksNamed('accounts');
  if (first === undefined) return accounts.ok('No account has to be connected again');
  const named = [first, ...others].map(({ network, handle }) => `${handle} (${network})`).join(', ');
  const more = first.count > others.length + 1 ? ' and more' : '';
  const have = countOf(first.count, 'account', ['has', 'have']);
  return accounts.warning(
    `${have} to be connected again: ${named}${more}. Posts to ${first.count === 1 ? 'it' : 'them'} fail until an admin of the workspace reconnects on the page Social accounts.`,
  );
};
