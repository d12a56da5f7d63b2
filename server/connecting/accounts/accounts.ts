import type { Account } from '#contracts/accounts';
import type { Issue } from '#contracts/errors';
import type { Choice } from '#contracts/providers';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Caller } from '#server/base/context';
import { badInput, notFound } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import type { Json, Network } from '#server/networks/network';
import type { Networks } from '#server/networks/registry';
import type { AccountRow } from './account-row.ts';
import type { AccountStore } from './account-store.ts';
import type { ChoiceNameStore } from './choice-name-store.ts';
import type { Revoking } from './revoking.ts';

/** What the database knows about a connected account, without a request to its network. */
export interface ConnectedNetwork {
  readonly network: string;
  readonly facts: Json;
}

export type Accounts = ReturnType<typeof createAccounts>;

/** The connected accounts of a workspace. */
export const createAccounts = ({
  store,
  choiceNames,
  networks,
  rights,
  revoking,
  audit,
  live,
}: {
  store: AccountStore;
  choiceNames: ChoiceNameStore;
  networks: Networks;
  rights: Rights;
  revoking: Revoking;
  audit: AuditLog;
  live: Live;
}) => ({
  mustExist: async ({ workspaceId }: Caller, id: string) => {
    if (!(await store.list(workspaceId)).some((account) => account.id === id)) throw notFound('account', id);
  },

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
    const connected = ids.length === 0 ? new Map<string, ConnectedNetwork>() : await store.networks(workspaceId, ids);
    const [missing, ...others] = ids.flatMap((id, index): Issue[] =>
      connected.has(id)
        ? []
        : [
            {
              path: `${path}.${index}`,
              code: 'UnknownAccount',
              message: `names ${id}, which is not a connected account; accounts.list shows them`,
            },
          ],
    );
    if (missing) throw badInput(missing, ...others);
    return connected;
  },

  /** Leaves out ids that are no longer connected. */
  connectedOf: ({ workspaceId }: Pick<Caller, 'workspaceId'>, ids: readonly string[]) =>
    store.networks(workspaceId, ids),

  /** Names of the values that these versions have for searchable options, as the network gave them in a search. */
  choiceNamesOf: async (
    { workspaceId }: Pick<Caller, 'workspaceId'>,
    accountIds: readonly string[],
    versions: readonly { readonly options: Readonly<Record<string, string>> }[],
  ): Promise<(accountId: string, option: string) => Choice[] | undefined> => {
    const isSearchable = (key: string) => networks.find(key.split('.')[0] ?? '')?.lookups?.[key] !== undefined;
    const values = versions.flatMap(({ options }) =>
      Object.entries(options).flatMap(([key, value]) => (isSearchable(key) ? [value.trim()] : [])),
    );
    const rows = values.length === 0 ? [] : await choiceNames.find(workspaceId, accountIds, values);
    return (accountId, option) => {
      const named = rows.filter((row) => row.accountId === accountId && row.option === option);
      return named.length === 0 ? undefined : named.map(({ value, label }) => ({ value, label }));
    };
  },

  /** Until the account is reconnected. Returns false if it was reconnected or disconnected since this row was read. */
  stopStatistics: ({ id, connectedAt }: AccountRow) => store.stopStatistics(id, connectedAt),

  disconnect: async (caller: Caller, id: string) => {
    await store.transaction(async () => {
      const by = await rights.mustHold(caller);
      const { workspaceId, userId } = by;
      const account = await store.disconnect(by, id);
      if (account === undefined) throw notFound('account', id);
      revoking.revokeAfterCommit([account]);
      const details = { accountId: id, network: account.network, handle: account.handle };
      await audit.write({ event: 'account.disconnected', workspaceId, userId, details });
      await live.publish({ workspaceId, kind: 'account', id });
    });
  },

  /** Reads the accounts before a workspace is deleted. Call the result in the same transaction, after the deletion. */
  prepareRevocation: async (workspaceId: string) => {
    const accounts = await store.list(workspaceId);
    return () => revoking.revokeAfterCommit(accounts);
  },
});

export const toAccount = (row: AccountRow, network: Network): Account => ({
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

/** SPEC, Statistics rules 5, 10 and 11. */
export const statisticsOf = (row: AccountRow, network: Network): Pick<Account, 'statistics' | 'statisticsMessage'> => {
  if (network.constraints.metrics.length === 0) return { statistics: 'None' };
  if (mayReadStatistics(row, network)) return { statistics: 'Ok' };
  return { statistics: 'Reconnect', statisticsMessage: reconnectForStatistics(network) };
};

/** The permission was granted and not revoked since. */
export const mayReadStatistics = ({ grantedScopes, statisticsStoppedAt }: AccountRow, network: Network) =>
  statisticsStoppedAt === null &&
  (network.statisticsPermission === undefined || grantedScopes.includes(network.statisticsPermission));

export const reconnectForStatistics = ({ name, statisticsPermission }: Network) => {
  const permission = statisticsPermission ? ` (${name} asks for the permission ${statisticsPermission})` : '';
  return `Reconnect this account on the Social accounts page to let Posthorn read its statistics${permission}. Publishing is not affected.`;
};
