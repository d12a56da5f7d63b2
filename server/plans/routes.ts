import type { AppRoutes } from '#contracts/app';
import type { RouteHandlers } from '#server/context';
import type { Plans } from './plans.ts';

export const planRoutes = ({ plans }: { plans: Plans }): RouteHandlers<Pick<AppRoutes, 'getPlan'>> => ({
  getPlan: ({ caller }) => plans.read(caller.workspaceId),
});
