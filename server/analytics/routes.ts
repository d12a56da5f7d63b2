import type { AnalyticsRoutes } from '#contracts/analytics';
import type { RouteHandlers } from '#server/context';
import type { Analytics } from './summary.ts';

export const analyticsRoutes = ({
  analytics,
}: {
  analytics: Analytics;
}): Pick<RouteHandlers<AnalyticsRoutes>, 'getSeries'> => ({
  getSeries: ({ query, caller }) =>
    analytics.series(caller, { ...query, accountIds: query.accountIds.split(',').filter((id) => id !== '') }),
});
