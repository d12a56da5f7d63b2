import type { Account } from '#contracts/accounts';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { badInput, notFound } from '#server/errors';
import { newId } from '#server/ids';
import type { Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { AccountRow, AccountStore } from './store.ts';

export type Accounts = ReturnType<typeof createAccounts>;

/** The connected accounts of a workspace. */
export const createAccounts = ({
  store,
  networks,
  clock,
}: {
  store: AccountStore;
  networks: Networks;
  clock: Clock;
}) => ({
  list: async ({ workspaceId }: Caller): Promise<Account[]> => {
    const rows = await store.list(workspaceId);
    return rows.map((row) => toAccount(row, networks.get(row.network)));
  },

  /** The network of each id, or BadInput naming the one that is not a connected account of this workspace. */
  networksOf: async ({ workspaceId }: Caller, ids: readonly string[], path = 'accountIds') => {
    const repeated = ids.findIndex((id, index) => ids.indexOf(id) < index);
    if (repeated >= 0) {
      throw badInput({ path: `${path}.${repeated}`, code: 'Repeated', message: 'names an account a second time' });
    }
    const found = ids.length === 0 ? new Map<string, string>() : await store.networks(workspaceId, ids);
    const missing = ids.findIndex((id) => !found.has(id));
    if (missing >= 0) {
      throw badInput({
        path: `${path}.${missing}`,
        code: 'UnknownAccount',
        message: `${ids[missing]} is not a connected account; accounts.list shows them`,
      });
    }
    return found;
  },

  /** Those of the ids that are still connected, with their network. */
  connectedOf: ({ workspaceId }: Caller, ids: readonly string[]) => store.networks(workspaceId, ids),

  /** An account on the sandbox twin of a network. */
  addSandbox: async (workspaceId: string, network: Network, { name, handle }: { name: string; handle: string }) => {
    const id = newId('account', clock.now());
    const grantedScopes = network.statisticsPermission ? [network.statisticsPermission] : [];
    await store.insert({
      id,
      workspaceId,
      network: network.key,
      externalId: `sandbox:${handle}`,
      name,
      handle,
      grantedScopes,
    });
    return { id, network: network.key, name, handle };
  },

  disconnect: async ({ workspaceId }: Caller, id: string) => {
    if (!(await store.disconnect(workspaceId, id))) throw notFound('account', id);
  },
});

const toAccount = (row: AccountRow, network: Network): Account => ({
  id: row.id,
  provider: network.name,
  network: row.network,
  name: row.name,
  handle: row.handle,
  ...(row.avatarUrl !== null && { avatarUrl: row.avatarUrl }),
  status: row.status,
  ...statisticsOf(row, network),
  connectedAt: row.connectedAt,
});

/** SPEC, Statistics rules 5 and 10. */
const statisticsOf = (row: AccountRow, network: Network): Pick<Account, 'statistics' | 'statisticsMessage'> => {
  if (network.constraints.metrics.length === 0) return { statistics: 'None' };
  if (network.statisticsPermission === undefined || row.grantedScopes.includes(network.statisticsPermission)) {
    return { statistics: 'Ok' };
  }
  return {
    statistics: 'Reconnect',
    statisticsMessage: `Reconnect this account on the Social accounts page to let Posthorn read its statistics (${network.name} asks for the permission ${network.statisticsPermission}). Publishing is not affected.`,
  };
};
