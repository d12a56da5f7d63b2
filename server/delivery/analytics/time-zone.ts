/** A period in which a time zone keeps the same UTC offset. */
export interface OffsetPeriod {
  readonly from: string;
  readonly to: string;
  /** Local time minus UTC. */
  readonly offsetSeconds: number;
}

// Since 1970 no zone changed its offset twice within a week, so a step of six days misses no change.
const stepSeconds = 6 * 24 * 60 * 60;

/** The periods from one instant to another, without a gap. An unknown name counts as UTC (SPEC). */
export const offsetPeriodsOf = (from: string, to: string, timeZone: string): OffsetPeriod[] => {
  const offsetAt = offsetsOf(timeZone);
  const last = Math.ceil(Date.parse(to) / 1000) - 1;
  const periods: OffsetPeriod[] = [];
  let periodStart = from;
  let second = Math.floor(Date.parse(from) / 1000);
  let offsetSeconds = offsetAt(second);
  while (second < last) {
    const next = Math.min((Math.floor(second / stepSeconds) + 1) * stepSeconds, last);
    if (offsetAt(next) === offsetSeconds) {
      second = next;
    } else {
      second = findOffsetChange(offsetSeconds, offsetAt, second, next);
      const changedAt = new Date(second * 1000).toISOString();
      periods.push({ from: periodStart, to: changedAt, offsetSeconds });
      periodStart = changedAt;
      offsetSeconds = offsetAt(second);
    }
  }
  return [...periods, { from: periodStart, to, offsetSeconds }];
};

/** The day of an instant in local time: `2026-11-15`. */
export const dayIn = (instant: string, timeZone: string) => {
  const second = Math.floor(Date.parse(instant) / 1000);
  return new Date((second + offsetsOf(timeZone)(second)) * 1000).toISOString().slice(0, 10);
};

type OffsetAt = (second: number) => number;

/** Binary search for the first second with another offset, after `before` and not after `after`. */
const findOffsetChange = (offset: number, offsetAt: OffsetAt, before: number, after: number): number => {
  if (after - before === 1) return after;
  const middle = Math.floor((before + after) / 2);
  return offsetAt(middle) === offset
    ? findOffsetChange(offset, offsetAt, middle, after)
    : findOffsetChange(offset, offsetAt, before, middle);
};

const maxZones = 100;
const maxOffsets = 1000;
const zones = new Map<string, OffsetAt>();

/** Cached, because Intl takes longer than the query, and the same seconds are needed for every summary. */
const offsetsOf = (timeZone: string): OffsetAt => {
  const cachedZone = zones.get(timeZone);
  if (cachedZone !== undefined) return cachedZone;
  const localTime = localTimeFormat(timeZone);
  if (localTime === undefined) return () => 0;
  const offsets = new Map<number, number>();
  const offsetAt = (second: number) => {
    const cachedOffset = offsets.get(second);
    if (cachedOffset !== undefined) return cachedOffset;
    const offset = secondsOf(localTime.format(second * 1000)) - second;
    if (offsets.size === maxOffsets) offsets.clear();
    offsets.set(second, offset);
    return offset;
  };
  if (zones.size === maxZones) zones.clear();
  zones.set(timeZone, offsetAt);
  return offsetAt;
};

const maxNameCharacters = 100;

/** Undefined for anything but a name: only some versions of Node accept an offset such as `+02:00`. */
const localTimeFormat = (timeZone: string) => {
  if (timeZone.length > maxNameCharacters || !/^[A-Za-z]/.test(timeZone)) return undefined;
  const [year, month, day, hour, minute, second] = Array<'numeric'>(6).fill('numeric');
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', year, month, day, hour, minute, second });
  } catch {
    return undefined;
  }
};

/** `6/2/2025, 22:30:00` as if it were UTC. */
const secondsOf = (localTime: string) => {
  const [month = 0, day, year = 0, hour, minute, second] = localTime.split(/\D+/).map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) / 1000;
};
