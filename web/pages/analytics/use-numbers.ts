import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { GetSeriesOutput, Summary } from '#generated/app-client';
import { actions, app } from '#web/api.ts';
import { addDays } from '#web/parts/time.ts';
import { keys } from '#web/queries.ts';
import type { Range, Span } from './use-range.ts';

export interface Numbers {
  summary: Summary;
  before: Summary;
  days: GetSeriesOutput['days'];
  daysBefore: GetSeriesOutput['days'];
}

/** The range and the one before it. The previous data stays on screen while new data loads. */
export const useNumbers = (range: Range, accountIds: readonly string[], timeZone: string) => {
  const { from, to, previous } = range;
  return useQuery({
    queryKey: keys.analytics({ from, to, accountIds, timeZone }),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Numbers> => {
      const summary = ({ from, to }: Span) =>
        actions.analytics.summary({ from, to, accountIds: [...accountIds], timeZone }, { signal });
      const series = ({ from, to }: Span) =>
        app.getSeries({ from, to, accountIds: accountIds.join(','), timeZone }, { signal });
      const [now, before, days, daysBefore] = await Promise.all([
        summary(range),
        summary(previous),
        series(range),
        series(previous),
      ]);
      return { summary: now, before, days: days.days, daysBefore: daysBefore.days };
    },
  });
};

export interface Point {
  /** First day: `2026-11-15` */
  date: string;
  now: number;
  before: number;
}

/** Longer ranges are grouped by week. */
const mostPoints = 120;

/** Every day of the range, including days without posts. */
export const pointsOf = ({ days, daysBefore }: Pick<Numbers, 'days' | 'daysBefore'>, range: Range) => {
  const step = range.days > mostPoints ? 7 : 1;
  const sum = (counted: Numbers['days'], span: Span, at: number) => {
    const first = addDays(span.firstDay, at);
    const end = addDays(span.firstDay, Math.min(at + step, span.days));
    return counted
      .filter(({ date }) => date >= first && date < end)
      .reduce((total, { engagement }) => total + engagement, 0);
  };
  const points = Array.from({ length: Math.ceil(range.days / step) }, (_, index): Point => {
    const at = index * step;
    return {
      date: addDays(range.firstDay, at),
      now: sum(days, range, at),
      before: sum(daysBefore, range.previous, at),
    };
  });
  return { points, unit: step === 7 ? ('week' as const) : ('day' as const) };
};
