import type { postActions } from '#contracts/posts';
import type { NeedsApproval } from '#server/base/approval';
import type { Caller, Handler } from '#server/base/context';

interface Bin {
  add(caller: Caller, id: string): Promise<NeedsApproval | undefined>;
}

export const deletePost =
  ({ bin }: { bin: Bin }): Handler<(typeof postActions)['posts.delete']> =>
  async ({ caller, input: { id } }) =>
    (await bin.add(caller, id)) ?? { id, deleted: true };
