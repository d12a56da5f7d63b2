import type { ApprovalCard } from '#contracts/approvals';
import type { Caller } from '#server/base/context';
import type { CardRow } from './card-store.ts';

interface Person {
  readonly id: string;
  readonly name: string;
}

/** The members who decide requests in a workspace: those who may publish without approval. */
export interface Approvers {
  list(caller: Pick<Caller, 'workspaceId'>): Promise<readonly Person[]>;
  /** Whether the caller is an approver. Locks their membership until the transaction ends. */
  lock(caller: Pick<Caller, 'workspaceId' | 'userId'>): Promise<boolean>;
}

export const onlyApprovers = 'Only owners, admins and named approvers decide here. Ask one of them.';

/**
 * People do not approve their own requests, unless they are the only approver. They may approve requests of their
 * agents.
 */
export const decisionOf = (
  { userId }: Caller,
  row: CardRow,
  approvers: readonly Person[],
): NonNullable<ApprovalCard['decision']> => {
  const others = approvers.filter(({ id }) => id !== userId);
  if (others.length === approvers.length) return { allowed: false, note: onlyApprovers };
  if (!isRequestOf(row, userId)) return { allowed: true };
  return others.length === 0
    ? { allowed: true, note: 'You asked for this yourself. You are the only approver here, so you may approve it.' }
    : { allowed: false, note: `You asked for this yourself. It waits for ${anyOf(others.map(({ name }) => name))}.` };
};

/** Whether this person asked in the app. False for requests of their agents. */
export const isRequestOf = ({ isOwn, requestedBy }: CardRow, userId: string) => isOwn && requestedBy === userId;

const maxNames = 3;

/** `Ann, Ben or Cyd`, `Ann, Ben or 4 others`. */
export const anyOf = (names: readonly string[]) => {
  const shown = names.length > maxNames ? [...names.slice(0, 2), `${names.length - 2} others`] : names;
  return shown.length < 2 ? (shown[0] ?? 'an approver') : `${shown.slice(0, -1).join(', ')} or ${shown.at(-1)}`;
};
