import type { MetricName } from '#contracts/analytics';

/** Only what the network told: a number it leaves out is not 0, and one that cannot be is not told. */
export const reported = (
  told: Readonly<Partial<Record<MetricName, unknown>>>,
): Partial<Record<MetricName, number>> =>
  Object.fromEntries(
    Object.entries(told).filter((one): one is [string, number] => Number.isSafeInteger(one[1]) && Number(one[1]) >= 0),
  );
