import type { ApprovalCard, Post } from '#generated/app-client';

type Versions = Pick<Post, 'versions'>;

/** For a request that changes a scheduled post: the post as it would be. */
export const askedChange = ({ post, action, input }: ApprovalCard): Versions | undefined => {
  if (post === undefined) return undefined;
  if (action === 'posts.update' && Array.isArray(input.versions)) {
    return { versions: input.versions as Post['versions'] };
  }
  return action === 'posts.setVersionText' ? withText(post, input) : undefined;
};

const withText = ({ versions }: Versions, input: ApprovalCard['input']): Versions => {
  const [accountId, index] = [String(input.accountId ?? '') || undefined, Number(input.itemIndex ?? 0)];
  const original = versions.find((one) => one.accountId === undefined);
  const changed = versions.find((one) => one.accountId === accountId) ?? original;
  if (changed === undefined) return { versions };
  const content = [...changed.content];
  content[index] = { media: content[index]?.media ?? [], body: String(input.body ?? '') };
  const next = { ...changed, ...(accountId && { accountId }), content };
  return { versions: [...versions.filter((one) => one.accountId !== accountId), next] };
};

/** `x.reply → everyone`, for a request that sets an option. */
export const askedOption = ({ action, input }: ApprovalCard) =>
  action === 'posts.setOption' ? `${input.key} → ${input.value || 'the default'}` : undefined;
