import { Temporal } from 'temporal-polyfill';
import { minuteMs } from '#contracts/time';

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

/**
 * The instants of the slots on `days` local days, beginning with the day of `fromMs`. A local time that daylight saving
 * skips moves later by the gap; of one that occurs twice, the first counts.
 */
export const occurrencesOf = <Slot extends WeeklyTime>(
  slots: readonly Slot[],
  timeZone: string,
  fromMs: number,
  days: number,
): Occurrence<Slot>[] => {
  const first = Temporal.Instant.fromEpochMilliseconds(fromMs).toZonedDateTimeISO(timeZone).toPlainDate();
  const offsetMs = offsetsAtNoon(timeZone);
  const occurrences: Occurrence<Slot>[] = [];
  for (let n = 0; n < days; n++) {
    const date = first.add({ days: n });
    const [before, after] = [offsetMs(date.subtract({ days: 1 })), offsetMs(date.add({ days: 1 }))];
    for (const slot of slots) {
      if (!slot.days.includes(date.dayOfWeek)) continue;
      // Time zone lookups are slow, and on most days the offset does not change.
      const atMs = before === after ? wallMs(date, slot.time) - before : instantMs(date, slot.time, timeZone);
      occurrences.push({ slot, atMs });
    }
  }
  return occurrences.sort((a, b) => a.atMs - b.atMs);
};

const offsetsAtNoon = (timeZone: string) => {
  const cache = new Map<string, number>();
  return (date: Temporal.PlainDate) => {
    const name = date.toString();
    const offset = cache.get(name) ?? date.toZonedDateTime({ timeZone, plainTime: noon }).offsetNanoseconds / 1e6;
    cache.set(name, offset);
    return offset;
  };
};

/** The local time, read as UTC. */
const wallMs = ({ year, month, day }: Temporal.PlainDate, time: string) => {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return Date.UTC(year, month - 1, day) + (hour * 60 + minute) * minuteMs;
};

const instantMs = (date: Temporal.PlainDate, time: string, timeZone: string) =>
  date.toPlainDateTime(time).toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds;
