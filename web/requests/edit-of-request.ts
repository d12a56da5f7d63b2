import type { ApprovalCard, ApprovalEdit, Post } from '#generated/app-client';
import { isDestructive } from './card-state.ts';

/** What would go out: for a change of a scheduled post, the changed post. */
export const targetOf = ({ post, becomes }: ApprovalCard): Post | undefined => becomes ?? post;

/** When it would go out; undefined: at once, or it has no time. */
export const timeOf = ({ input, becomes }: ApprovalCard) =>
  typeof input.at === 'string' ? input.at : becomes?.status === 'Scheduled' ? becomes.scheduledAt : undefined;

export const canEdit = (card: ApprovalCard) =>
  card.status === 'Open' &&
  !isDestructive(card) &&
  card.post !== undefined &&
  // These publish the post, or give it up, exactly as it was approved.
  !['publishScheduled', 'giveUp'].includes(card.action);

export const withEdit = (card: ApprovalCard, edit: ApprovalEdit | undefined): Post | undefined => {
  const target = targetOf(card);
  if (target === undefined || edit === undefined) return target;
  const { versions = target.versions, accountIds = target.accountIds } = edit;
  return { ...target, versions: versions as Post['versions'], accountIds };
};

/** The request's files, with the alternative texts from the edit. */
export const mediaWithEdit = ({ media }: ApprovalCard, edit: ApprovalEdit | undefined) =>
  media.map((file) => ({ ...file, ...edit?.alts?.find(({ mediaId }) => mediaId === file.id) }));

/** The alternative text at the request. */
export const altOf = ({ media }: ApprovalCard, id: string) => media.find((file) => file.id === id)?.alt ?? '';

/** Drops whatever equals the request; undefined if nothing is left. */
export const trimEdit = (
  card: ApprovalCard,
  { versions, accountIds, alts = [], scheduledAt }: ApprovalEdit,
): ApprovalEdit | undefined => {
  const at = timeOf(card);
  const isOtherText = versions !== undefined && JSON.stringify(versions) !== JSON.stringify(targetOf(card)?.versions);
  const isFewer = accountIds !== undefined && accountIds.length !== targetOf(card)?.accountIds.length;
  const isOtherTime = scheduledAt !== undefined && (at === undefined || Date.parse(scheduledAt) !== Date.parse(at));
  const otherAlts = alts.filter(({ mediaId, alt }) => alt !== altOf(card, mediaId));
  if (!isOtherText && !isFewer && !isOtherTime && otherAlts.length === 0) return undefined;
  return {
    ...(isOtherText && { versions }),
    ...(isFewer && { accountIds }),
    ...(otherAlts.length > 0 && { alts: otherAlts }),
    ...(isOtherTime && { scheduledAt }),
  };
};
