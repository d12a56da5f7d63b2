import type { postActions } from '#contracts/posts';
import type { Caller, Handler, Output } from '#server/base/context';

type ReadMetrics = (typeof postActions)['posts.metrics'];

interface Statistics {
  ofPost(caller: Caller, id: string): Promise<Output<ReadMetrics>>;
}

export const readPostMetrics =
  ({ statistics }: { statistics: Statistics }): Handler<ReadMetrics> =>
  ({ caller, input }) =>
    statistics.ofPost(caller, input.id);
