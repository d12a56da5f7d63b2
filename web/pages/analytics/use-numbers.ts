import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { actions, app } from '#web/base/api.ts';
import { keys } from '#web/base/queries.ts';
import type { Numbers } from './numbers.ts';
import { maxBars } from './points.ts';
import type { Range, Span } from './use-range.ts';

/** The range and the one before it. The previous data stays on screen, with its own range, while new data loads. */
export const useNumbers = (range: Range, accountIds: readonly string[], timeZone: string) => {
  const { from, to, previous } = range;
  return useQuery({
    queryKey: keys.analytics({ from, to, accountIds, timeZone }),
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Numbers> => {
      const input = ({ from, to }: Span) => ({ from, to, accountIds: accountIds.join(','), timeZone });
      const summary = ({ from, to }: Span, only = accountIds) =>
        actions.analytics.summary({ from, to, accountIds: [...only], timeZone }, { signal });
      const covered = app.getCoverage(input(range), { signal });
      // Posts on accounts that report nothing would count as posts that nobody liked.
      const bestTimes = covered.then(async ({ accounts }) => {
        const read = accounts.filter(({ readPosts }) => readPosts > 0).map(({ accountId }) => accountId);
        return read.length === 0 ? [] : (await summary(range, read)).bestTimes;
      });
      const [now, times, before, days, daysBefore, coverage, coverageBefore, best] = await Promise.all([
        summary(range),
        bestTimes,
        summary(previous),
        app.getSeries(input(range), { signal }),
        app.getSeries(input(previous), { signal }),
        covered,
        app.getCoverage(input(previous), { signal }),
        range.days <= maxBars ? app.listBestOfDays(input(range), { signal }) : { posts: [] },
      ]);
      return {
        range,
        summary: { ...now, bestTimes: times },
        before,
        days: days.days,
        daysBefore: daysBefore.days,
        coverage,
        coverageBefore,
        posts: best.posts,
      };
    },
  });
};
