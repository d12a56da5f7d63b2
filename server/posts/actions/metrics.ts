import type { postActions } from '#contracts/posts';
import type { Handler } from '#server/context';
import type { Statistics } from '#server/statistics/statistics';

export const readPostMetrics =
  ({ statistics }: { statistics: Statistics }): Handler<(typeof postActions)['posts.metrics']> =>
  ({ caller, input }) =>
    statistics.ofPost(caller, input.id);
