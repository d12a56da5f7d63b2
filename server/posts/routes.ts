import type { PostRoutes } from '#contracts/posts';
import type { RouteHandlers } from '#server/context';
import type { Lifecycle } from './lifecycle.ts';

export const postRoutes = ({ lifecycle }: { lifecycle: Lifecycle }): RouteHandlers<PostRoutes> => ({
  unschedule: ({ params, caller }) => lifecycle.unschedule(caller, params.id),
  publishAgain: ({ params, body, caller }) => lifecycle.publishNow(caller, params.id, { despite: body.accountIds }),
});
