import { Temporal } from 'temporal-polyfill';

/** The last instant before the day begins on the clocks of the zone, as an ISO-8601 instant. */
export const endOfDayBefore = (day: string, timeZone: string) =>
  Temporal.PlainDate.from(day)
    .toZonedDateTime({ timeZone })
    .subtract({ milliseconds: 1 })
    .toInstant()
    .toString({ smallestUnit: 'millisecond' });
