import type { AnalyticsRoutes } from '#contracts/analytics';
import type { RouteHandlers } from '#server/base/context';
import type { Statistics } from './statistics.ts';

export const statisticsRoutes = ({
  statistics,
}: {
  statistics: Statistics;
}): Pick<RouteHandlers<AnalyticsRoutes>, 'getHistory'> => ({
  getHistory: ({ params, caller }) => statistics.history(caller, params.id),
});
