import type { accountActions } from '#contracts/accounts';
import type { Handler } from '#server/base/context';
import type { Accounts } from '#server/connecting/accounts/accounts';

export const listAccounts =
  ({ accounts }: { accounts: Accounts }): Handler<(typeof accountActions)['accounts.list']> =>
  async ({ caller }) => ({ accounts: await accounts.list(caller) });
