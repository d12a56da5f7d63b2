/** A stretch of time in which the clocks of a zone are not moved. */
export interface Stretch {
  readonly from: string;
  readonly to: string;
  /** What to add to UTC for the time on the wall. */
  readonly offsetSeconds: number;
}

// Since 1970 no zone moved its clocks twice in less than a week.
const stepSeconds = 6 * 24 * 60 * 60;

/** The stretches from one instant to another, without a gap. An unknown name counts as UTC (SPEC). */
export const stretchesOf = (from: string, to: string, timeZone: string): Stretch[] => {
  const offsetAt = offsetsOf(timeZone);
  const last = Math.ceil(Date.parse(to) / 1000) - 1;
  const stretches: Stretch[] = [];
  let begun = from;
  let second = Math.floor(Date.parse(from) / 1000);
  let offsetSeconds = offsetAt(second);
  while (second < last) {
    const next = Math.min(second + stepSeconds, last);
    if (offsetAt(next) === offsetSeconds) {
      second = next;
    } else {
      second = firstWithout(offsetSeconds, offsetAt, second, next);
      const moved = new Date(second * 1000).toISOString();
      stretches.push({ from: begun, to: moved, offsetSeconds });
      begun = moved;
      offsetSeconds = offsetAt(second);
    }
  }
  return [...stretches, { from: begun, to, offsetSeconds }];
};

/** The first second with another offset, after `before` and not after `after`. */
const firstWithout = (offset: number, offsetAt: (second: number) => number, before: number, after: number): number => {
  if (after - before === 1) return after;
  const middle = Math.floor((before + after) / 2);
  return offsetAt(middle) === offset
    ? firstWithout(offset, offsetAt, middle, after)
    : firstWithout(offset, offsetAt, before, middle);
};

const offsetsOf = (timeZone: string) => {
  const format = wallTime(timeZone);
  if (format === undefined) return () => 0;
  return (second: number) => {
    const [month = 0, day, year = 0, hour, minute, wallSecond] = format
      .format(second * 1000)
      .split(/\D+/)
      .map(Number);
    return Date.UTC(year, month - 1, day, hour, minute, wallSecond) / 1000 - second;
  };
};

/** Undefined for UTC, and for what is no name: an offset would be read by some versions of Node alone. */
const wallTime = (timeZone: string) => {
  if (!/^[A-Za-z]/.test(timeZone) || timeZone === 'UTC') return undefined;
  const [year, month, day, hour, minute, second] = Array<'numeric'>(6).fill('numeric');
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', year, month, day, hour, minute, second });
  } catch {
    return undefined;
  }
};
