import { type Check, checksNamed, countOf } from '#server/check';
import type { Database } from '#server/store/database';
import { createAccountStore } from './store.ts';

export { sealedInAccounts } from './store.ts';

export const nextRefresh = (database: Database) => createAccountStore(database).msToRefresh();

/** Keys of the networks, not their sandboxes, that an account is connected on. */
export const liveNetworks = (database: Database) => createAccountStore(database).liveNetworks();

export const checkAccounts = async (database: Database): Promise<Check> => {
  const [first, ...others] = await createAccountStore(database).toReconnect();
  const accounts = checksNamed('accounts');
  if (first === undefined) return accounts.ok('No account has to be connected again');
  const named = [first, ...others].map(({ network, handle }) => `${handle} (${network})`).join(', ');
  const more = first.count > others.length + 1 ? ' and more' : '';
  const have = countOf(first.count, 'account', ['has', 'have']);
  return accounts.warning(
    `${have} to be connected again: ${named}${more}. Posts to ${first.count === 1 ? 'it' : 'them'} fail until an admin of the workspace reconnects on the page Social accounts.`,
  );
};
