import type { Summary } from '#generated/app-client';
import { addDays } from '#web/base/time.ts';
import { formatNumber } from '#web/parts/number.ts';

export type BestTime = Summary['bestTimes'][number];

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** `19 Oct` of `2026-10-19` */
export const shortDate = (date: string) => `${Number(date.slice(8))} ${months[Number(date.slice(5, 7)) - 1]}`;

/** `Mon 19 Oct` */
export const longDate = (date: string) =>
  `${weekdays[(new Date(`${date}T00:00:00Z`).getUTCDay() + 6) % 7]} ${shortDate(date)}`;

/** `19 Oct – 17 Nov`, with the year if it is not this one. */
export const formatRange = ({ firstDay, lastDay }: { firstDay: string; lastDay: string }, today: string) => {
  const [first, last] = [firstDay.slice(0, 4), lastDay.slice(0, 4)];
  const end = `${shortDate(lastDay)}${last === today.slice(0, 4) ? '' : ` ${last}`}`;
  if (firstDay === lastDay) return end;
  return `${shortDate(firstDay)}${first === last ? '' : ` ${first}`} – ${end}`;
};

/** `Thu 18:00` */
export const formatHour = ({ weekday, hour }: { weekday: number; hour: number }) =>
  `${weekdays[weekday - 1]} ${String(hour).padStart(2, '0')}:00`;

export const formatAverage = ({ average: value }: { average: number }) =>
  formatNumber(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));

/** The first date from `today` on with this weekday. */
export const nextDay = (weekday: number, today: string) => {
  const here = ((new Date(`${today}T12:00:00Z`).getUTCDay() + 6) % 7) + 1;
  return addDays(today, (weekday - here + 7) % 7);
};

/** Inclusive. */
export const daysBetween = (from: string, to: string) =>
  Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / 86_400_000) + 1;
