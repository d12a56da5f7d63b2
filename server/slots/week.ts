import { Temporal } from 'temporal-polyfill';

interface WeeklyTime {
  readonly days: readonly number[];
  /** 09:30 */
  readonly time: string;
}

interface Occurrence<Slot> {
  readonly slot: Slot;
  readonly atMs: number;
}

const noon = Temporal.PlainTime.from('12:00');
const minuteMs = 60_000;

/**
 * When the slots are, on so many days of their zone from the one that `fromMs` is in. A time that the clock skips is as
 * much later as it skips, one that it shows twice is the first of the two.
 */
export const occurrencesOf = <Slot extends WeeklyTime>(
  slots: readonly Slot[],
  timeZone: string,
  fromMs: number,
  days: number,
): Occurrence<Slot>[] => {
  const first = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(timeZone).toPlainDate();
  const offsetMs = offsetsAtNoon(timeZone);
  const found: Occurrence<Slot>[] = [];
  for (let n = 0; n < days; n++) {
    const date = first.add({ days: n });
    const [before, after] = [offsetMs(date.subtract({ days: 1 })), offsetMs(date.add({ days: 1 }))];
    for (const slot of slots) {
      if (!slot.days.includes(date.dayOfWeek)) continue;
      // Asking the zone takes long, and on most days no clock is moved.
      const atMs = before === after ? wallMs(date, slot.time) - before : instantMs(date, slot.time, timeZone);
      found.push({ slot, atMs });
    }
  }
  return found.sort((a, b) => a.atMs - b.atMs);
};

const offsetsAtNoon = (timeZone: string) => {
  const known = new Map<string, number>();
  return (date: Temporal.PlainDate) => {
    const name = date.toString();
    const offset = known.get(name) ?? date.toZonedDateTime({ timeZone, plainTime: noon }).offsetNanoseconds / 1e6;
    known.set(name, offset);
    return offset;
  };
};

/** As if the wall were in UTC. */
const wallMs = ({ year, month, day }: Temporal.PlainDate, time: string) => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return Date.UTC(year, month - 1, day) + (hour * 60 + minute) * minuteMs;
};

const instantMs = (date: Temporal.PlainDate, time: string, timeZone: string) =>
  date.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
