import { engagementMetrics, type MetricName, metricNames } from '#contracts/metrics';

/** Metrics as a network reported them. */
export type Numbers = Partial<Record<MetricName, number>>;

/** What analytics adds up. A metric that is not reported is null. */
export type Counts = Record<MetricName, number | null> & { readonly engagement: number };

/** Below this, sums stay exact. */
const largest = 1e12;

/** An impossible number counts as not reported. */
export const countsOf = (metrics: Numbers): Counts => {
  const counts = Object.fromEntries(metricNames.map((name) => [name, countOf(metrics[name])])) as Record<
    MetricName,
    number | null
  >;
  return { ...counts, engagement: engagementMetrics.reduce((sum, name) => sum + (counts[name] ?? 0), 0) };
};

const countOf = (count: number | undefined) => (count !== undefined && count < largest ? count : null);
