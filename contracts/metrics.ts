export const metricNames = ['views', 'reach', 'likes', 'comments', 'shares', 'quotes', 'saves', 'clicks'] as const;
export type MetricName = (typeof metricNames)[number];

/** SPEC, Statistics rules 4: views, reach and clicks are not engagement. */
export const engagementMetrics = ['likes', 'comments', 'shares', 'quotes', 'saves'] as const;
