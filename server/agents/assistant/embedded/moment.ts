import { parse } from 'chrono-node';
import { Temporal } from 'temporal-polyfill';

export interface Moment {
  readonly at: string;
  /** `02:30`, if daylight saving skips the named time and the post goes out an hour later. */
  readonly skipped?: string;
}

/**
 * The time that a text names, in the user's time zone; undefined if it names no hour. Only the local date and time come
 * from chrono: it works with a single offset, but the zone may have another one on that day.
 */
export const momentIn = (text: string, now: Date, timeZone: string): Moment | undefined => {
  const localNow = Temporal.Instant.from(now.toISOString()).toZonedDateTimeISO(timeZone);
  const timezone = Math.round(localNow.offsetNanoseconds / 60_000_000_000);
  const result = parse(text, { instant: now, timezone }, { forwardDate: true }).find(({ start }) =>
    start.isCertain('hour'),
  );
  if (result === undefined) return undefined;
  const { start } = result;
  const field = (name: Parameters<typeof start.get>[0]) => start.get(name) ?? 0;
  const local = new Temporal.PlainDateTime(field('year'), field('month'), field('day'), field('hour'), field('minute'));
  if (start.isCertain('timezoneOffset')) {
    // `9:00 UTC` has an offset of its own, and so has `in 2 hours`, which chrono counts from now.
    const at = local.toZonedDateTime('UTC').subtract({ minutes: field('timezoneOffset') });
    return { at: at.toInstant().toString() };
  }
  const hasDay = start.isCertain('day') || start.isCertain('weekday');
  const first = local.toZonedDateTime(timeZone);
  const isPast = Temporal.ZonedDateTime.compare(first, localNow) <= 0;
  const zoned = !hasDay && isPast ? local.add({ days: 1 }).toZonedDateTime(timeZone) : first;
  const isSkipped = zoned.hour !== local.hour || zoned.minute !== local.minute;
  return {
    at: zoned.toInstant().toString(),
    ...(isSkipped && { skipped: local.toPlainTime().toString({ smallestUnit: 'minute' }) }),
  };
};
