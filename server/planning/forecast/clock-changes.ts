import { offsetPeriodsOf } from '#server/delivery/analytics/time-zone';

/** An instant at which the local clock jumps. */
export interface ClockChange {
  readonly atMs: number;
  /** Local time minus UTC before it. */
  readonly beforeMs: number;
  /** Positive when the clock goes forward. */
  readonly byMs: number;
}

/** Further ahead no government has decided. */
const mostMs = 2 * 366 * 24 * 3_600_000;

export const findClockChanges = (
  { fromMs, toMs, nowMs }: { fromMs: number; toMs: number; nowMs: number },
  timeZone: string,
): ClockChange[] => {
  const lastMs = Math.min(toMs, nowMs + mostMs);
  if (lastMs <= fromMs) return [];
  const periods = offsetPeriodsOf(new Date(fromMs).toISOString(), new Date(lastMs).toISOString(), timeZone);
  return periods.flatMap(({ from: at, offsetSeconds }, n) => {
    const before = periods[n - 1];
    if (before === undefined) return [];
    const byMs = (offsetSeconds - before.offsetSeconds) * 1000;
    return [{ atMs: Date.parse(at), beforeMs: before.offsetSeconds * 1000, byMs }];
  });
};
