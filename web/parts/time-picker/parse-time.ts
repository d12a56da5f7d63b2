import { addDays } from '#web/base/time.ts';

/** What a person typed into a time field. At least one of the two is there. */
export interface TypedTime {
  /** `21:00` */
  readonly time?: string;
  /** `2026-11-19` */
  readonly date?: string;
}

const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
const named = (names: readonly string[]) => names.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|');

const isoDay = '\\d{4}-\\d\\d-\\d\\d';
const monthDay = `\\d{1,2}\\.? (?:${months.join('|')})[a-z]*\\.?`;
const day = new RegExp(`^(?:on )?(today|tomorrow|${named(weekdays)}|${isoDay}|${monthDay})(?:,? (?:at )?(.*))?$`);
const dayAtEnd = new RegExp(`^(.+?),? (today|tomorrow|${named(weekdays)}|${isoDay}|${monthDay})$`);
const clock = /^(\d{1,2})(?:[:.h]?(\d\d))?(?: ?(?:h|o'?clock|uhr))?(?: ?([ap])\.?m?\.?)?$/;

/**
 * Understands `21`, `9pm`, `9.30`, `0930`, `21h30` and `noon`, with a day before or after it: `tomorrow 8`, `fri 9am`,
 * `19 nov 8:30`. Undefined when it is none of them. `wallNow` is the current wall time: `2026-11-19 08:30:00`.
 */
export const parseTime = (text: string, wallNow: string): TypedTime | undefined => {
  const words = text.trim().toLowerCase().replace(/\s+/g, ' ');
  const [, first, rest] = day.exec(words) ?? [];
  if (first !== undefined) return combine(first, rest, wallNow);
  const [, before, last] = dayAtEnd.exec(words) ?? [];
  if (last !== undefined) return combine(last, before, wallNow);
  const time = timeOf(words);
  return time === undefined ? undefined : { time };
};

const combine = (word: string, rest: string | undefined, wallNow: string): TypedTime | undefined => {
  const date = dateOf(word, wallNow.slice(0, 10));
  if (date === undefined) return undefined;
  if (!rest) return { date };
  const time = timeOf(rest);
  if (time === undefined) return undefined;
  // `monday 8` on a Monday evening is the next Monday.
  const isOver = isWeekday(word) && `${date} ${time}` <= wallNow.slice(0, 16);
  return { date: isOver ? addDays(date, 7) : date, time };
};

const timeOf = (words: string): string | undefined => {
  if (words === 'noon') return '12:00';
  const [, hourText, minute = '00', half] = clock.exec(words) ?? [];
  if (hourText === undefined || Number(minute) > 59) return undefined;
  const hour = Number(hourText);
  if (half === undefined) return hour > 23 ? undefined : `${pad(hour)}:${minute}`;
  if (hour < 1 || hour > 12) return undefined;
  return `${pad((hour % 12) + (half === 'p' ? 12 : 0))}:${minute}`;
};

/** A weekday is the next one, today included; a date without a year is the next one too. */
const dateOf = (word: string, today: string): string | undefined => {
  if (word === 'today') return today;
  if (word === 'tomorrow') return addDays(today, 1);
  if (new RegExp(`^${isoDay}$`).test(word)) return existing(word);
  if (isWeekday(word)) {
    const weekday = weekdays.findIndex((name) => name.startsWith(word.slice(0, 3)));
    const todays = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7;
    return addDays(today, (weekday - todays + 7) % 7);
  }
  const [number = '', name = ''] = word.split(/\.? /);
  const year = Number(today.slice(0, 4));
  const inYear = (one: number) => `${one}-${pad(months.indexOf(name.slice(0, 3)) + 1)}-${pad(Number(number))}`;
  return existing(inYear(year) < today ? inYear(year + 1) : inYear(year));
};

const isWeekday = (word: string) => weekdays.some((name) => name.startsWith(word.slice(0, 3)));

/** Undefined for a date that does not exist, such as `2026-02-30`. */
const existing = (date: string) => {
  const at = new Date(`${date}T00:00:00Z`);
  return Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== date ? undefined : date;
};

const pad = (value: number) => String(value).padStart(2, '0');
