import type { ApprovalCard } from '#generated/app-client';
import { now } from '#web/parts/time.ts';

/** Something ends that cannot be brought back. */
export const isDestructive = ({ action }: ApprovalCard) => action === 'posts.delete' || action === 'accounts.delete';

/** A changed post that the person may still send out themselves. */
export const mayActOn = ({ status, action, changedPost, expiresAt }: ApprovalCard) =>
  status === 'Outdated' &&
  (action === 'posts.publishNow' || action === 'posts.schedule') &&
  (changedPost?.status === 'Draft' || changedPost?.status === 'Failed') &&
  Date.parse(expiresAt) > now().getTime();

export const isToDecide = (card: ApprovalCard) => card.status === 'Open' || mayActOn(card);
