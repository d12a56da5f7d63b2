import { offsetPeriodsOf } from '#server/analytics/time-zone';

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

export const findClockChanges = (fromMs: number, toMs: number, timeZone: string): ClockChange[] => {
  const from = new Date(fromMs).toISOString();
  const to = new Date(Math.min(Math.max(toMs, fromMs + 1000), fromMs + mostMs)).toISOString();
  const periods = offsetPeriodsOf(from, to, timeZone);
  return periods.flatMap(({ from: at, offsetSeconds }, n) => {
    const before = periods[n - 1];
    if (before === undefined) return [];
    const byMs = (offsetSeconds - before.offsetSeconds) * 1000;
    return [{ atMs: Date.parse(at), beforeMs: before.offsetSeconds * 1000, byMs }];
  });
};
