import { addDays, dateIn, now } from '#web/base/time.ts';

export const views = ['day', 'week', 'month', 'agenda'] as const;
export type View = (typeof views)[number];

export const isView = (text: string | undefined): text is View => views.some((view) => view === text);

/** `2026-11-19`, and not 30 February. */
export const isDate = (text: string | undefined): text is string =>
  text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;

export const todayIn = (zone: string) => dateIn(now(), zone);

/** 1 is Monday, 7 is Sunday. */
export const weekdayOf = (date: string) => new Date(`${date}T00:00:00Z`).getUTCDay() || 7;

const mondayOf = (date: string) => addDays(date, 1 - weekdayOf(date));

const firstOfMonth = (date: string) => `${date.slice(0, 7)}-01`;

const addMonths = (date: string, months: number) => {
  const day = new Date(`${firstOfMonth(date)}T00:00:00Z`);
  day.setUTCMonth(day.getUTCMonth() + months);
  return day.toISOString().slice(0, 10);
};

/** Dates that a view shows; `to` is exclusive. */
export const rangeOf = (view: View, date: string): readonly [from: string, to: string] => {
  if (view === 'day') return [date, addDays(date, 1)];
  if (view !== 'month') return [mondayOf(date), addDays(mondayOf(date), 7)];
  return [mondayOf(firstOfMonth(date)), addDays(mondayOf(addDays(addMonths(date, 1), -1)), 7)];
};

export const daysOf = ([from, to]: readonly [string, string]) => {
  const days: string[] = [];
  for (let day = from; day < to; day = addDays(day, 1)) days.push(day);
  return days;
};

export const stepOf = (view: View, date: string, by: 1 | -1) => {
  if (view === 'month') return addMonths(date, by);
  return addDays(date, view === 'day' ? by : 7 * by);
};

const format = (date: string, options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(Date.parse(date)).replace(',', '');

/** `16–22 November 2026`, `November 2026`, `Thursday 19 November 2026`; short: `16–22 Nov` */
export const titleOf = (view: View, date: string, isShort = false) => {
  const year = isShort ? {} : ({ year: 'numeric' } as const);
  const month = isShort ? 'short' : 'long';
  if (view === 'day') return format(date, { weekday: month, day: 'numeric', month, ...year });
  if (view === 'month') return format(date, { month: 'long', year: 'numeric' });
  const [first, last] = [mondayOf(date), addDays(mondayOf(date), 6)];
  const end = format(last, { day: 'numeric', month, ...year });
  if (first.slice(0, 7) === last.slice(0, 7)) return `${format(first, { day: 'numeric' })}–${end}`;
  return `${format(first, { day: 'numeric', month })} – ${end}`;
};

/** `Tuesday 17`; `Today, Tuesday 17` */
export const dayName = (date: string, today: string) => {
  const name = format(date, { weekday: 'long', day: 'numeric' });
  return date === today ? `Today, ${name}` : name;
};

export const letterOf = (date: string) => format(date, { weekday: 'narrow' });

/** Adds minutes to a wall time, ignoring DST. */
export const addMinutes = (wall: string, minutes: number) =>
  new Date(Date.parse(`${wall.replace(' ', 'T')}Z`) + minutes * 60_000).toISOString().slice(0, 19).replace('T', ' ');

/** `Thu` */
export const shortWeekday = (date: string) => format(date, { weekday: 'short' });
