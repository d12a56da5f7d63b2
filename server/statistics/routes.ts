import type { AppRoutes } from '#contracts/app';
import type { RouteHandlers } from '#server/context';
import type { Statistics } from './statistics.ts';

export const statisticsRoutes = ({
  statistics,
}: {
  statistics: Statistics;
}): RouteHandlers<Pick<AppRoutes, 'getHistory'>> => ({
  getHistory: ({ params, caller }) => statistics.history(caller, params.id),
});
