import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Lifecycle } from '#server/posts/lifecycle';

export const deletePost =
  ({ lifecycle }: { lifecycle: Lifecycle }): Handler<(typeof postActions)['posts.delete']> =>
  async ({ caller, input: { id } }) => {
    await lifecycle.remove(caller, id);
    return { id, deleted: true };
  };
