import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { ByHand } from '#server/publishing/publish-now';

export const publishPostNow =
  ({ byHand }: { byHand: ByHand }): Handler<(typeof postActions)['posts.publishNow']> =>
  ({ caller, input, approval }) =>
    byHand.publishNow(caller, input.id, { approval });
