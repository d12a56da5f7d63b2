import type { PostRoutes } from '#contracts/posts';
import type { RouteHandlers } from '#server/context';
import type { ByHand } from './publish-now.ts';

export type PublishingRoutes = Pick<PostRoutes, 'publishAgain' | 'getProgress' | 'giveUp' | 'confirmFound'>;

export const publishingRoutes = ({ byHand }: { byHand: ByHand }): RouteHandlers<PublishingRoutes> => ({
  publishAgain: ({ params, body, caller }) =>
    byHand.publishNow(caller, params.id, { despite: body.accountIds, only: body.only }),
  getProgress: ({ params, caller }) => byHand.progress(caller, params.id),
  giveUp: ({ params, body, caller }) => byHand.giveUp(caller, params.id, body.accountIds),
  confirmFound: ({ params, body, caller }) => byHand.found(caller, params.id, body.accountIds),
});
