import type { AccountRow } from '#server/connecting/accounts/account-row';

/** Identifies claimed reads by account and claim. */
export interface ClaimedReads {
  readonly account: Pick<AccountRow, 'id' | 'workspaceId'>;
  readonly claim: string;
}

export const held = 'p.workspace_id = :workspaceId and p.account_id = :accountId and p.claim = :claim';

export const claimValues = ({ account, claim }: ClaimedReads) => ({
  workspaceId: account.workspaceId,
  accountId: account.id,
  claim,
});
