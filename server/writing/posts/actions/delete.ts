import type { postActions } from '#contracts/posts';
import type { Caller, Handler } from '#server/base/context';

interface Bin {
  add(caller: Caller, id: string): Promise<unknown>;
}

export const deletePost =
  ({ bin }: { bin: Bin }): Handler<(typeof postActions)['posts.delete']> =>
  async ({ caller, input: { id } }) => {
    await bin.add(caller, id);
    return { id, deleted: true };
  };
