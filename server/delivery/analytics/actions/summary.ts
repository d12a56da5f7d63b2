import type { analyticsActions } from '#contracts/analytics';
import type { Handler } from '#server/base/context';
import type { Analytics } from '#server/delivery/analytics/analytics';

export const summarizeStatistics =
  ({ analytics }: { analytics: Analytics }): Handler<(typeof analyticsActions)['analytics.summary']> =>
  ({ caller, input }) =>
    analytics.summary(caller, input);
