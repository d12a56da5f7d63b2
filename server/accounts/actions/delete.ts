import type { accountActions } from '#contracts/accounts';
import type { Accounts } from '#server/accounts/accounts';
import type { Handler } from '#server/context';

export const disconnectAccount =
  ({ accounts }: { accounts: Accounts }): Handler<(typeof accountActions)['accounts.delete']> =>
  async ({ caller, input: { id } }) => {
    await accounts.disconnect(caller, id);
    return { id, deleted: true };
  };
