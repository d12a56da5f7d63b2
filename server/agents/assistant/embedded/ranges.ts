import { Temporal } from 'temporal-polyfill';
import { quantity } from '#server/base/quantity';

/** Whole days in the time zone of the user, as analytics.summary accepts them. */
export interface Range {
  readonly from: string;
  /** Exclusive. */
  readonly to: string;
  /** `last week` */
  readonly label: string;
  /** `9–15 Nov` */
  readonly days: string;
  /** Like `this week`, which cannot be compared with a whole week. */
  readonly isUnfinished: boolean;
  /** The range of the same length before it, for comparison. */
  readonly before: { readonly from: string; readonly to: string; readonly label: string };
}

type Day = Temporal.PlainDate;

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const monthName =
  /\b(?:in|of|during)\s+(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/i;
const lastCount = /\b(?:last|past)\s+(\d{1,4})\s+(day|week|month)s?\b/i;

/** The range that a question names; undefined if it names none. Days begin at midnight in the user's time zone. */
export const rangeIn = (text: string, now: Date, timeZone: string): Range | undefined => {
  const today = Temporal.Instant.from(now.toISOString()).toZonedDateTimeISO(timeZone).toPlainDate();
  const make = (first: Day, end: Day, beforeFirst: Day, label: string, beforeLabel: string): Range => ({
    ...instants(first, end, timeZone),
    label,
    days: describeDays(first, end.subtract({ days: 1 }), today),
    isUnfinished: Temporal.PlainDate.compare(end, today) > 0,
    before: { ...instants(beforeFirst, first, timeZone), label: beforeLabel },
  });
  const week = (first: Day, label: string) =>
    make(first, first.add({ weeks: 1 }), first.subtract({ weeks: 1 }), label, 'the week before');
  const month = (first: Day, label: string) =>
    make(first, first.add({ months: 1 }), first.subtract({ months: 1 }), label, 'the month before');
  const day = (one: Day, label: string) =>
    make(one, one.add({ days: 1 }), one.subtract({ days: 1 }), label, 'the day before');

  const monday = today.subtract({ days: today.dayOfWeek - 1 });
  const firstOfMonth = today.with({ day: 1 });
  const [, count, unit = ''] = lastCount.exec(text) ?? [];
  if (count !== undefined) {
    const length = { [`${unit.toLowerCase()}s`]: Math.max(1, Number(count)) };
    const end = today.add({ days: 1 });
    const first = end.subtract(length);
    const some = quantity(Number(count), unit.toLowerCase());
    const range = make(first, end, first.subtract(length), `the last ${some}`, `the ${some} before`);
    // Only the last day of the range is unfinished.
    return { ...range, isUnfinished: false };
  }
  if (/\byesterday\b/i.test(text)) return day(today.subtract({ days: 1 }), 'yesterday');
  if (/\btoday\b/i.test(text)) return day(today, 'today');
  if (/\b(last|previous|past)\s+week\b/i.test(text)) return week(monday.subtract({ weeks: 1 }), 'last week');
  if (/\b(this|the|current)\s+week\b/i.test(text)) return week(monday, 'this week');
  if (/\b(last|previous|past)\s+month\b/i.test(text)) return month(firstOfMonth.subtract({ months: 1 }), 'last month');
  if (/\b(this|the|current)\s+month\b/i.test(text)) return month(firstOfMonth, 'this month');
  const named = monthName.exec(text)?.[1]?.toLowerCase().slice(0, 3);
  if (named !== undefined) {
    const first = firstOfMonth.with({ month: months.indexOf(named) + 1 });
    const past = Temporal.PlainDate.compare(first, today) > 0 ? first.subtract({ years: 1 }) : first;
    return month(past, `in ${past.toLocaleString('en-GB', { month: 'long' })}`);
  }
  return undefined;
};

const instants = (first: Day, end: Day, timeZone: string) => ({
  from: first.toZonedDateTime(timeZone).toInstant().toString(),
  to: end.toZonedDateTime(timeZone).toInstant().toString(),
});

const describeDays = (first: Day, last: Day, today: Day) => {
  const month = (one: Day) => one.toLocaleString('en-GB', { month: 'short' });
  const year = last.year === today.year ? '' : ` ${last.year}`;
  if (first.equals(last)) return `${last.day} ${month(last)}${year}`;
  const start = first.year === last.year && first.month === last.month ? first.day : `${first.day} ${month(first)}`;
  return `${start}–${last.day} ${month(last)}${year}`;
};
