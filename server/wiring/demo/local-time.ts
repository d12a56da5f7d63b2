import { Temporal } from 'temporal-polyfill';
import { minuteMs } from '#contracts/time';

/** The zone of this machine, which is probably that of whoever tries the demo. Servers in UTC get a bakery's zone. */
export const demoZone = (): string => {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  return /^(UTC|GMT|Etc\/.*)$/.test(timeZone) ? 'Europe/Berlin' : timeZone;
};

const opens = 7;
const closes = 21;

/** Times as the bakery's clock shows them. Days count from today. */
export const createLocalTime = (now: Date, timeZone: string) => {
  const zoned = (at: Date) => Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone);
  const today = zoned(now).toPlainDate();
  const onDay = (day: number, time: string) =>
    new Date(today.add({ days: day }).toZonedDateTime({ timeZone, plainTime: time }).epochMilliseconds);
  const dayOf = (at: Date) => today.until(zoned(at).toPlainDate(), { largestUnit: 'days' }).days;
  const halfHour = (at: Date) => new Date(Math.floor(at.getTime() / (30 * minuteMs)) * 30 * minuteMs);
  /** 0 is Sunday. */
  const weekdayOn = (day: number) => today.add({ days: day }).dayOfWeek % 7;
  return {
    onDay,
    weekdayOn,

    /** The first day from `from` on that is this weekday. */
    nextWeekday: (weekday: number, from: number) => from + ((weekday - weekdayOn(from) + 7) % 7),

    /** Rounds down to the half hour. A time at night moves to the evening before: nobody posts bread at night. */
    byDayBefore: (at: Date) => {
      const { hour } = zoned(at);
      if (hour >= closes) return onDay(dayOf(at), '19:30');
      return hour < opens ? new Date(onDay(dayOf(at) - 1, '16:00').getTime() + hour * 30 * minuteMs) : halfHour(at);
    },

    /** The same for the future: night moves to the morning after. */
    byDayAfter: (at: Date) => {
      const { hour } = zoned(at);
      if (hour >= opens && hour < closes) return halfHour(at);
      const day = hour < opens ? dayOf(at) : dayOf(at) + 1;
      return new Date(onDay(day, '08:00').getTime() + (hour < opens ? hour : hour - closes) * 30 * minuteMs);
    },
  };
};
