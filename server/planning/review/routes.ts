import type { ReviewRoutes } from '#contracts/review';
import type { RouteHandlers } from '#server/base/context';
import type { AdviceOnPosts } from './advice.ts';
import type { Comments } from './comments.ts';
import type { Shares } from './shares.ts';

export const reviewRoutes = ({
  comments,
  shares,
  advice,
}: {
  comments: Comments;
  shares: Shares;
  advice: AdviceOnPosts;
}): RouteHandlers<ReviewRoutes> => ({
  listComments: async ({ params, caller }) => ({ comments: await comments.list(caller, params.id) }),
  addComment: ({ params, body, caller }) => comments.add(caller, params.id, body.body),
  editComment: ({ params, body, caller }) => comments.edit(caller, params.id, body.body),
  deleteComment: async ({ params, caller }) => {
    await comments.remove(caller, params.id);
    return { done: true };
  },
  listShares: async ({ params, caller }) => ({ shares: await shares.list(caller, params.id) }),
  sharePost: ({ params, body, caller, requestId }) => shares.make(caller, params.id, body, requestId),
  revokeShare: async ({ params, caller, requestId }) => {
    await shares.revoke(caller, params.id, requestId);
    return { done: true };
  },
  listAdvice: async ({ params, caller }) => ({ advice: await advice.list(caller, params.id) }),
  deleteAdvice: async ({ params, caller }) => {
    await advice.remove(caller, params.id);
    return { done: true };
  },
  addAdvice: async ({ body, address, exchange }) => {
    exchange.res.setHeader('x-robots-tag', 'noindex, nofollow');
    await advice.add(body, address);
    return { done: true };
  },
  openShare: async ({ body, exchange }) => {
    exchange.res.setHeader('x-robots-tag', 'noindex, nofollow');
    return shares.see(body.secret);
  },
});
