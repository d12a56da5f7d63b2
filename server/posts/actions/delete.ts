import type { postActions } from '#contracts/posts';
import type { Bin } from '#server/bin/bin';
import type { Handler } from '#server/context';

export const deletePost =
  ({ bin }: { bin: Bin }): Handler<(typeof postActions)['posts.delete']> =>
  async ({ caller, input: { id } }) => {
    await bin.add(caller, id);
    return { id, deleted: true };
  };
