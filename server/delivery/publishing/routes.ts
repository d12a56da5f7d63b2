import type { PostRoutes } from '#contracts/posts';
import type { RouteHandlers } from '#server/base/context';
import type { PublishControls } from './publish-controls.ts';

export type PublishingRoutes = Pick<
  PostRoutes,
  'publishScheduled' | 'publishAgain' | 'getProgress' | 'giveUp' | 'confirmFound'
>;

export const publishingRoutes = ({
  publishControls,
}: {
  publishControls: PublishControls;
}): RouteHandlers<PublishingRoutes> => ({
  publishScheduled: ({ params, caller, approval }) => publishControls.publishScheduled(caller, params.id, approval),
  publishAgain: ({ params, body, caller, approval }) =>
    publishControls.publishNow(caller, params.id, { despite: body.accountIds, only: body.only, preparation: approval }),
  getProgress: ({ params, caller }) => publishControls.progress(caller, params.id),
  giveUp: ({ params, body, caller }) => publishControls.giveUp(caller, params.id, body.accountIds),
  confirmFound: ({ params, body, caller }) => publishControls.confirmFound(caller, params.id, body.accountIds),
});
