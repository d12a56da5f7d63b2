import { addDays, dateIn } from '#web/base/time.ts';
import type { Numbers } from './numbers.ts';
import type { Range, Span } from './use-range.ts';

/** With more days than this, bars would be too narrow. */
export const maxBars = 59;

export interface Point {
  /** First day: `2026-11-15` */
  date: string;
  now: number;
  /** Absent without a whole range before. */
  before?: number;
  /** False before the first post ever: there is nothing to show, not even 0. */
  hasBegun: boolean;
  /** How many were published. */
  posts: number;
  /** There are posts but no numbers for any of them, so `now` means nothing. */
  isUnread: boolean;
  /** The day, or the last day of the week, is not over. */
  isUnfinished: boolean;
}

/** Longer ranges are grouped by week. */
const mostPoints = 120;

/** Every day of the range, including days without posts. */
export const pointsOf = (
  { days, daysBefore, coverage }: Pick<Numbers, 'days' | 'daysBefore' | 'coverage'>,
  range: Range,
  { isComparable, zone }: { isComparable: boolean; zone: string },
) => {
  const step = range.days > mostPoints ? 7 : 1;
  const sum = (counted: Numbers['days'], span: Span, at: number, name: 'engagement' | 'posts' | 'readPosts') => {
    const first = addDays(span.firstDay, at);
    const end = addDays(span.firstDay, Math.min(at + step, span.days));
    return counted.filter(({ date }) => date >= first && date < end).reduce((total, day) => total + day[name], 0);
  };
  const { unfinishedDay } = coverage;
  const began = coverage.beganAt && dateIn(coverage.beganAt, zone);
  const points = Array.from({ length: Math.ceil(range.days / step) }, (_, index): Point => {
    const at = index * step;
    const date = addDays(range.firstDay, at);
    const posts = sum(days, range, at, 'posts');
    return {
      date,
      now: sum(days, range, at, 'engagement'),
      ...(isComparable && { before: sum(daysBefore, range.previous, at, 'engagement') }),
      hasBegun: began !== undefined && addDays(date, step) > began,
      posts,
      isUnread: posts > 0 && sum(days, range, at, 'readPosts') === 0,
      isUnfinished: unfinishedDay !== undefined && unfinishedDay >= date && unfinishedDay < addDays(date, step),
    };
  });
  return { points, unit: step === 7 ? ('week' as const) : ('day' as const) };
};
