import type { PlanRoutes } from '#contracts/plans';
import type { RouteHandlers } from '#server/base/context';
import type { Plans } from './plans.ts';

export const planRoutes = ({ plans }: { plans: Plans }): RouteHandlers<PlanRoutes> => ({
  getPlan: ({ caller }) => plans.read(caller.workspaceId),
});
