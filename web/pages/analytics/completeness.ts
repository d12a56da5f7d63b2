import type { Coverage, Summary } from '#generated/app-client';
import { dateIn } from '#web/base/time.ts';
import { formatNumber } from '#web/parts/number.ts';
import { isRead, namesOf, reasonFor, reporting } from '#web/parts/why-unknown.ts';
import { daysBetween, shortDate } from './format-dates.ts';
import type { Range } from './use-range.ts';

export type Metric = 'engagement' | 'views' | 'reach' | 'comments' | 'saves' | 'posts';
/** What a range can be compared with. A previous range only counts if posting had begun by its first day. */
export type Comparison =
  | { is: 'before'; words: string }
  | { is: 'first'; days: number }
  | { is: 'partial'; began: string }
  | { is: 'none' };

export const comparisonOf = (range: Range, beganAt: string | undefined, zone: string): Comparison => {
  if (beganAt === undefined) return { is: 'none' };
  const began = dateIn(beganAt, zone);
  if (began <= range.previous.firstDay) return { is: 'before', words: range.before };
  if (began >= range.firstDay) return { is: 'first', days: daysBetween(began, range.lastDay) };
  return { is: 'partial', began };
};

/** `first 30 days`, `began 13 Oct` */
export const describeComparison = (comparison: Comparison) => {
  if (comparison.is === 'first') return comparison.days === 1 ? 'first day' : `first ${comparison.days} days`;
  if (comparison.is === 'partial') return `began ${shortDate(comparison.began)}`;
  return '';
};

export interface Figure {
  /** Absent if nothing is known: 0 would look like a measured value. */
  value?: number;
  note: string;
}

/** A total with its note: what it compares with, who reports it, or why there is none. */
export const figureOf = (
  metric: Metric,
  {
    now,
    before,
    coverage,
    coverageBefore,
    comparison,
    days,
  }: {
    now: Summary['totals'];
    before: Summary['totals'];
    coverage: Coverage;
    coverageBefore: Coverage;
    comparison: Comparison;
    days: number;
  },
): Figure => {
  const note = (isKnownBefore: boolean) =>
    comparison.is === 'before'
      ? isKnownBefore
        ? `${formatNumber(before[metric])} ${comparison.words}`
        : `nothing read ${comparison.words}`
      : undefined;
  if (metric === 'posts') {
    const counted = comparison.is === 'first' ? comparison.days : days;
    const rate = Math.round((now.posts / counted) * 10) / 10;
    return { value: now.posts, note: note(true) ?? `${rate} a day` };
  }
  const accounts = reporting(coverage, metric);
  if (!isRead(coverage, metric)) return { note: reasonFor(accounts) };
  return {
    value: now[metric],
    note:
      note(isRead(coverageBefore, metric)) ?? describeReporters(accounts, coverage) ?? describeComparison(comparison),
  };
};

/** Undefined if every account with posts reports it. */
const describeReporters = (accounts: Coverage['accounts'], coverage: Coverage) => {
  if (accounts.length === coverage.accounts.filter(({ posts }) => posts > 0).length) return undefined;
  const names = namesOf(accounts);
  if (names.length <= 2) return names.join(', ');
  return `${accounts.length} accounts report it`;
};
