import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Lifecycle } from '#server/posts/lifecycle';

export const validatePost =
  ({ lifecycle }: { lifecycle: Lifecycle }): Handler<(typeof postActions)['posts.validate']> =>
  ({ caller, input }) =>
    lifecycle.validate(caller, input.id);
