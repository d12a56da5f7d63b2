import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Reading } from '#server/posts/reading';

export const getPost =
  ({ reading }: { reading: Reading }): Handler<(typeof postActions)['posts.get']> =>
  ({ caller, input }) =>
    reading.show(caller, input.id);
