import type { MetricName } from '#contracts/analytics';

/** Only what the network reported: a missing number is not 0, and an impossible one is left out. */
export const reported = (told: Readonly<Partial<Record<MetricName, unknown>>>): Partial<Record<MetricName, number>> =>
  Object.fromEntries(
    Object.entries(told).filter((one): one is [string, number] => Number.isSafeInteger(one[1]) && Number(one[1]) >= 0),
  );
