import type { AuditLog } from '#server/access/audit/audit-log';
import type { Rights } from '#server/access/auth/rights';
import type { Plans } from '#server/access/plans/plans';
import type { Clock } from '#server/base/clock';
import type { Caller } from '#server/base/context';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import type { Network, NetworkAccount } from '#server/networks/network';
import type { AccountAccess } from './access.ts';
import type { AccountStore } from './account-store.ts';
import type { ConnectionRow } from './connection-store.ts';
import type { NetworkAccess } from './network-access.ts';

/** Saves accounts that a network has shown, with their tokens. */
export const createSaveAccounts = ({
  accountStore,
  networkAccess,
  access,
  rights,
  plans,
  audit,
  live,
  reconnected,
  clock,
}: {
  accountStore: AccountStore;
  networkAccess: NetworkAccess;
  access: AccountAccess;
  rights: Rights;
  plans: Plans;
  audit: AuditLog;
  live: Live;
  /** Reads the statistics of its posts at once (SPEC, Statistics rules 10). */
  reconnected: (account: { readonly workspaceId: string; readonly id: string }) => Promise<void>;
  clock: Clock;
}) => {
  /** Returns our id of the account. */
  const saveOne = async (
    caller: Caller,
    network: Network,
    account: NetworkAccount,
    { server, sandbox }: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<string> => {
    const by = await rights.mustHold(caller);
    const { workspaceId, userId } = by;
    // Tokens are encrypted for one account id, so two requests for the same account must agree on that id.
    await accountStore.lockWorkspace(workspaceId);
    const existing = await accountStore.find(workspaceId, network.key, account.id);
    if (!existing) await plans.mayConnect(workspaceId, network);
    const id = existing?.id ?? newId('account', clock.now());
    // If the network sends no new refresh token, the old one stays valid.
    const refreshToken = existing && networkAccess.open(existing)?.tokens.refreshToken;
    const tokens = { ...(refreshToken && { refreshToken }), ...account.tokens };
    await accountStore.save(by, {
      id,
      network: network.key,
      externalId: account.id,
      name: account.name,
      handle: account.handle,
      avatarUrl: account.avatarUrl ?? null,
      grantedScopes: [...account.scopes],
      server: networkAccess.toStored(account.server ?? server),
      sandbox,
      tokens: networkAccess.sealTokens(id, tokens),
      facts: account.facts,
      refreshInMs: access.nextRefreshMs(network, tokens),
    });
    const event = existing ? 'account.reconnected' : 'account.connected';
    const details = { accountId: id, network: network.key, handle: account.handle };
    await audit.write({ event, workspaceId, userId, details });
    await live.publish({ workspaceId, kind: 'account', id });
    if (existing) await reconnected({ workspaceId, id });
    return id;
  };

  return async (
    caller: Caller,
    network: Network,
    accounts: readonly NetworkAccount[],
    at: Pick<ConnectionRow, 'server' | 'sandbox'>,
  ): Promise<string[]> => {
    const accountIds: string[] = [];
    for (const account of accounts) {
      accountIds.push(await accountStore.transaction(() => saveOne(caller, network, account, at)));
    }
    return accountIds;
  };
};
