import type { AppRoutes } from '#contracts/app';
import type { RouteHandlers } from '#server/context';
import type { Lifecycle } from './lifecycle.ts';

type Routes = Pick<AppRoutes, 'unschedule' | 'publishAgain'>;

export const postRoutes = ({ lifecycle }: { lifecycle: Lifecycle }): RouteHandlers<Routes> => ({
  unschedule: ({ params, caller }) => lifecycle.unschedule(caller, params.id),
  publishAgain: ({ params, body, caller }) => lifecycle.publishNow(caller, params.id, { despite: body.accountIds }),
});
