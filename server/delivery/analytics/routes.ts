import type { AnalyticsRoutes } from '#contracts/analytics';
import type { RouteHandlers } from '#server/base/context';
import type { Analytics } from './analytics.ts';

export const analyticsRoutes = ({
  analytics,
}: {
  analytics: Analytics;
}): Pick<RouteHandlers<AnalyticsRoutes>, 'getSeries' | 'listBestOfDays' | 'getCoverage'> => ({
  getSeries: ({ query, caller }) => analytics.series(caller, toRange(query)),
  listBestOfDays: ({ query, caller }) => analytics.bestOfDays(caller, toRange(query)),
  getCoverage: ({ query, caller }) => analytics.coverage(caller, toRange(query)),
});

const toRange = <Query extends { accountIds: string }>({ accountIds, ...query }: Query) => ({
  ...query,
  accountIds: accountIds.split(',').filter((id) => id !== ''),
});
