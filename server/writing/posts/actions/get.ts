import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/base/context';
import type { Reading } from '#server/writing/posts/reading';

export const getPost =
  ({ reading }: { reading: Reading }): Handler<(typeof postActions)['posts.get']> =>
  ({ caller, input }) =>
    reading.show(caller, input.id);
