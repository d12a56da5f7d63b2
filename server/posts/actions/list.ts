import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Reading } from '#server/posts/reading';

export const listPosts =
  ({ reading }: { reading: Reading }): Handler<(typeof postActions)['posts.list']> =>
  ({ caller, input }) =>
    reading.list(caller, input);
