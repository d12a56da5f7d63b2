import type { ApprovalCard } from '#generated/app-client';
import { now } from '#web/base/time.ts';

/** Actions that cannot be undone. */
export const isDestructive = ({ action }: ApprovalCard) => action === 'posts.delete' || action === 'accounts.delete';

/** The post was edited after the request, and the person can still send it. */
export const canStillSend = ({ status, action, changedPost, expiresAt }: ApprovalCard) =>
  status === 'Outdated' &&
  (action === 'posts.publishNow' || action === 'posts.schedule') &&
  (changedPost?.status === 'Draft' || changedPost?.status === 'Failed') &&
  Date.parse(expiresAt) > now().getTime();

export const needsDecision = (card: ApprovalCard) => card.status === 'Open' || canStillSend(card);
