import type { accountActions } from '#contracts/accounts';
import type { Accounts } from '#server/accounts/accounts';
import type { Handler } from '#server/context';

export const listAccounts =
  ({ accounts }: { accounts: Accounts }): Handler<(typeof accountActions)['accounts.list']> =>
  async ({ caller }) => ({ accounts: await accounts.list(caller) });
