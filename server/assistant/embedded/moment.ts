import { parse } from 'chrono-node';
import { Temporal } from 'temporal-polyfill';

export interface Moment {
  readonly at: string;
  /** `02:30`, when the clocks skip what was said and it goes an hour later. */
  readonly skipped?: string;
}

/**
 * The time that a text names, in the zone of the user; undefined when it names no hour. Only the fields of the wall
 * clock are taken from chrono: it knows one offset, and a zone may have another one on that day.
 */
export const momentIn = (text: string, now: Date, timeZone: string): Moment | undefined => {
  const here = Temporal.Instant.from(now.toISOString()).toZonedDateTimeISO(timeZone);
  const timezone = Math.round(here.offsetNanoseconds / 60_000_000_000);
  const found = parse(text, { instant: now, timezone }, { forwardDate: true }).find(({ start }) =>
    start.isCertain('hour'),
  );
  if (found === undefined) return undefined;
  const { start } = found;
  const field = (name: Parameters<typeof start.get>[0]) => start.get(name) ?? 0;
  const wall = new Temporal.PlainDateTime(field('year'), field('month'), field('day'), field('hour'), field('minute'));
  if (start.isCertain('timezoneOffset')) {
    // `9:00 UTC`, and `in 2 hours`, which chrono counts from now.
    const at = wall.toZonedDateTime('UTC').subtract({ minutes: field('timezoneOffset') });
    return { at: at.toInstant().toString() };
  }
  const hasDay = start.isCertain('day') || start.isCertain('weekday');
  const first = wall.toZonedDateTime(timeZone);
  const isOver = Temporal.ZonedDateTime.compare(first, here) <= 0;
  const zoned = !hasDay && isOver ? wall.add({ days: 1 }).toZonedDateTime(timeZone) : first;
  const isSkipped = zoned.hour !== wall.hour || zoned.minute !== wall.minute;
  return {
    at: zoned.toInstant().toString(),
    ...(isSkipped && { skipped: wall.toPlainTime().toString({ smallestUnit: 'minute' }) }),
  };
};
