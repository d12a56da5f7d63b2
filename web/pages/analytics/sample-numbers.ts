import type { Coverage, Summary } from '#generated/app-client';
import { addDays } from '#web/base/time.ts';
import type { Numbers } from './numbers.ts';
import type { Range } from './use-range.ts';

/** Sample data behind the empty state. */
export const sampleNumbers = (range: Range): Numbers => {
  const wave = [92, 220, 110, 70, 165, 108, 240, 98, 182, 130, 254, 120, 196, 150];
  const daysFrom = (firstDay: string, share: number) =>
    Array.from({ length: range.days }, (_, index) => ({
      date: addDays(firstDay, index),
      posts: 1,
      readPosts: 1,
      views: 0,
      engagement: Math.round((wave[index % wave.length] ?? 0) * share),
    }));
  const totals = {
    posts: 24,
    views: 38_200,
    reach: 21_400,
    likes: 1420,
    comments: 212,
    shares: 164,
    quotes: 20,
    saves: 240,
    clicks: 0,
    engagement: 2056,
  };
  const time = (weekday: number, hour: number, average: number) => ({
    weekday,
    hour,
    posts: 4,
    engagement: average * 4,
    average,
    lowConfidence: false,
  });
  const summary: Summary = {
    from: range.from,
    to: range.to,
    timeZone: 'UTC',
    totals,
    byAccount: [],
    byNetwork: [],
    topPosts: [],
    bestTimes: [time(1, 8, 142), time(2, 12, 64), time(3, 9, 88), time(4, 18, 214), time(5, 8, 131), time(6, 11, 172)],
  };
  const coverage: Coverage = {
    beganAt: range.from,
    accounts: [
      {
        accountId: 'sample',
        provider: 'Sample',
        statistics: 'Ok',
        metrics: ['views', 'reach', 'likes', 'comments', 'saves'],
        posts: 24,
        readPosts: 24,
      },
    ],
  };
  const days = daysFrom(range.firstDay, 1);
  return { range, summary, before: summary, days, daysBefore: [], coverage, coverageBefore: coverage, posts: [] };
};
