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
    const next = Math.min((Math.floor(second / stepSeconds) + 1) * stepSeconds, last);
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

type OffsetAt = (second: number) => number;

/** The first second with another offset, after `before` and not after `after`. */
const firstWithout = (offset: number, offsetAt: OffsetAt, before: number, after: number): number => {
  if (after - before === 1) return after;
  const middle = Math.floor((before + after) / 2);
  return offsetAt(middle) === offset
    ? firstWithout(offset, offsetAt, middle, after)
    : firstWithout(offset, offsetAt, before, middle);
};

const mostZones = 100;
const mostSeconds = 1000;
const zones = new Map<string, OffsetAt>();

/** Remembers: Intl takes longer than the database, and the same seconds are asked for again and again. */
const offsetsOf = (timeZone: string): OffsetAt => {
  const remembered = zones.get(timeZone);
  if (remembered !== undefined) return remembered;
  const wall = wallOf(timeZone);
  if (wall === undefined) return () => 0;
  const offsets = new Map<number, number>();
  const offsetAt = (second: number) => {
    const remembered = offsets.get(second);
    if (remembered !== undefined) return remembered;
    const offset = secondsOf(wall.format(second * 1000)) - second;
    if (offsets.size === mostSeconds) offsets.clear();
    offsets.set(second, offset);
    return offset;
  };
  if (zones.size === mostZones) zones.clear();
  zones.set(timeZone, offsetAt);
  return offsetAt;
};

const longestName = 100;

/** Undefined for what is no name: an offset would be read by some versions of Node alone. */
const wallOf = (timeZone: string) => {
  if (timeZone.length > longestName || !/^[A-Za-z]/.test(timeZone)) return undefined;
  const [year, month, day, hour, minute, second] = Array<'numeric'>(6).fill('numeric');
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', year, month, day, hour, minute, second });
  } catch {
    return undefined;
  }
};

/** `6/2/2025, 22:30:00` as if it were UTC. */
const secondsOf = (wall: string) => {
  const [month = 0, day, year = 0, hour, minute, second] = wall.split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
};
