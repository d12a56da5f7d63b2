import type { AccountRow } from '#server/connecting/accounts/account-row';

/** Identifies claimed reads by account and claim. */
export interface ClaimedReads {
  readonly account: Pick<AccountRow, 'id' | 'workspaceId'>;
  readonly claim: string;
}

export const held = `p.workspace_id = $1 and p.account_id = $2 and p.claim = $3`;

export const claimColumns = ({ account, claim: id }: ClaimedReads) => [account.workspaceId, account.id, id] as const;
