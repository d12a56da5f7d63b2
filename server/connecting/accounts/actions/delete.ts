import type { accountActions } from '#contracts/accounts';
import type { Handler } from '#server/base/context';
import type { Accounts } from '#server/connecting/accounts/accounts';

export const disconnectAccount =
  ({ accounts }: { accounts: Accounts }): Handler<(typeof accountActions)['accounts.delete']> =>
  async ({ caller, input: { id } }) => {
    await accounts.disconnect(caller, id);
    return { id, deleted: true };
  };
