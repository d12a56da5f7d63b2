import { describe, expect, test } from 'vitest';
import type { Coverage, Totals } from '#contracts/analytics';
import { bandsOf, columnsOf, nameBand, omittedHours, rankBands } from '#web/pages/analytics/bands.ts';
import { axisFor, linePath } from '#web/pages/analytics/chart-geometry.ts';
import { comparisonOf, describeComparison, figureOf, type Metric } from '#web/pages/analytics/completeness.ts';
import { pointsOf } from '#web/pages/analytics/points.ts';
import { sentenceOf } from '#web/pages/analytics/sentence.ts';
import type { Range } from '#web/pages/analytics/use-range.ts';
import { readEngagement, totalEngagement } from '#web/pages/post/results/engagement.ts';
import { whyUnknown } from '#web/parts/why-unknown.ts';

const totals = (some: Partial<Totals> = {}): Totals => ({
  posts: 0,
  views: 0,
  reach: 0,
  likes: 0,
  comments: 0,
  shares: 0,
  quotes: 0,
  saves: 0,
  clicks: 0,
  engagement: 0,
  ...some,
});
const hour = (weekday: number, hour: number, posts: number, engagement: number) => ({
  weekday,
  hour,
  posts,
  engagement,
  average: engagement / posts,
  lowConfidence: posts < 3,
});
type Account = Coverage['accounts'][number];
const account = (some: Partial<Account> = {}): Account => ({
  accountId: 'acct_1',
  provider: 'Instagram',
  statistics: 'Ok',
  metrics: ['views', 'likes', 'saves'],
  posts: 3,
  readPosts: 3,
  ...some,
});
/** 18 October to 16 November. */
const range: Range = {
  choice: '30',
  firstDay: '2026-10-18',
  lastDay: '2026-11-16',
  days: 30,
  from: '2026-10-17T22:00:00.000Z',
  to: '2026-11-16T23:00:00.000Z',
  previous: {
    firstDay: '2026-09-18',
    lastDay: '2026-10-17',
    days: 30,
    from: '2026-09-17T22:00:00.000Z',
    to: '2026-10-17T22:00:00.000Z',
  },
  before: 'the 30 days before',
  words: 'in 30 days',
};
const zone = 'Europe/Berlin';

describe('the sentence', () => {
  const textOf = (bestTimes: ReturnType<typeof hour>[], isRead = true) => {
    const posts = bestTimes.reduce((sum, one) => sum + one.posts, 0);
    const engagement = bestTimes.reduce((sum, one) => sum + one.engagement, 0);
    const phrases = sentenceOf({ totals: totals({ posts, engagement }), bestTimes }, { words: 'in 30 days', isRead });
    return phrases.map(({ text }) => text).join('');
  };
  const morning = hour(2, 9, 6, 600);

  test('gives the total, and the best time with the numbers that it rests on', () => {
    expect(textOf([hour(1, 18, 2, 900), hour(1, 19, 2, 1052), morning])).toBe(
      '10 posts brought 2,552 engagements in 30 days. Monday evenings did best: four posts between 18:00 and 20:00 brought 488 each, the others 100.',
    );
  });

  test.each([
    ['two posts at the best time', [hour(1, 18, 2, 2000), morning]],
    ['two posts at other times', [hour(1, 18, 4, 2000), hour(2, 9, 2, 20)]],
    ['hardly a difference', [hour(1, 18, 4, 460), morning]],
    ['two times that are equally good', [hour(1, 18, 3, 900), hour(3, 18, 3, 900), morning]],
    ['no engagement at all', [hour(1, 18, 4, 0), hour(2, 9, 4, 0)]],
  ])('claims no best time with %s', (_, times) => {
    expect(textOf(times)).toMatch(/ in 30 days\.$/);
  });

  test('says that nothing was read instead of 0', () => {
    expect(textOf([hour(1, 18, 1, 0)], false)).toBe('1 post went out in 30 days. No numbers have been read yet.');
  });
});

describe('a comparison', () => {
  test.each([
    ['a whole range before', '2026-09-17T22:30:00Z', { is: 'before', words: 'the 30 days before' }, ''],
    ['five days before', '2026-10-13T10:00:00Z', { is: 'partial', began: '2026-10-13' }, 'began 13 Oct'],
    ['posts since the first day', '2026-10-17T22:30:00Z', { is: 'first', days: 30 }, 'first 30 days'],
    ['posts since today', '2026-11-16T10:00:00Z', { is: 'first', days: 1 }, 'first day'],
  ])('with %s', (_, beganAt, comparison, words) => {
    expect(comparisonOf(range, beganAt, zone)).toEqual(comparison);
    expect(describeComparison(comparisonOf(range, beganAt, zone))).toBe(words);
  });
});

describe('a total', () => {
  const figure = (
    metric: Metric,
    {
      accounts = [account()],
      before = [account()],
      beganAt = '2026-01-01T00:00:00Z',
    }: { accounts?: Account[]; before?: Account[]; beganAt?: string } = {},
  ) =>
    figureOf(metric, {
      now: totals({ posts: 45, views: 9000, engagement: 500, saves: 7 }),
      before: totals({ posts: 40, views: 4108, engagement: 400 }),
      coverage: { accounts },
      coverageBefore: { accounts: before },
      comparison: comparisonOf(range, beganAt, zone),
      days: 30,
    });
  const first = { beganAt: '2026-10-18T10:00:00Z' };

  test('names what it was before, and no factor', () => {
    expect(figure('views')).toEqual({ value: 9000, note: '4,108 the 30 days before' });
    expect(figure('posts')).toEqual({ value: 45, note: '40 the 30 days before' });
    expect(figure('views', { before: [account({ readPosts: 0 })] }).note).toBe('nothing read the 30 days before');
  });

  test('is unknown with posts of which nothing was read, and 0 without a post', () => {
    const why = (some: Partial<Account>, metric: Exclude<Metric, 'posts'> = 'engagement') =>
      whyUnknown({ accounts: [account(some)] }, metric);
    expect(why({})).toBeUndefined();
    expect(why({ readPosts: 0 })).toBe('nothing read yet');
    expect(why({ posts: 0, readPosts: 0 })).toBeUndefined();
    expect(why({}, 'reach')).toBe('not reported by these networks');
  });

  test('without a whole range before says how long there are numbers, or who reports them', () => {
    expect(figure('views', first).note).toBe('first 30 days');
    expect(figure('posts', first).note).toBe('1.5 a day');
    const silent = account({ provider: 'LinkedIn', statistics: 'None', metrics: [], readPosts: 0 });
    expect(figure('views', { ...first, accounts: [account(), silent] }).note).toBe('Instagram');
    const many = ['X', 'Bluesky', 'TikTok'].map((provider) => account({ provider }));
    expect(figure('views', { ...first, accounts: [...many, silent] }).note).toBe('3 accounts report it');
  });

  test.each([
    ['is not reported', [account({ metrics: ['likes'] })], 'not reported by these networks'],
    ['was not read yet', [account({ readPosts: 0 })], 'nothing read yet'],
    ['needs a permission', [account({ readPosts: 0, statistics: 'Reconnect' })], 'reconnect Instagram'],
    ['is of an account that is gone', [account({ readPosts: 0, statistics: 'Disconnected' })], 'no longer read'],
  ] as const)('that %s is no 0, and has its reason', (_, accounts, note) => {
    expect(figure('views', { accounts: [...accounts] })).toEqual({ note });
  });
});

describe('best times', () => {
  test('are two hours of a weekday together, trusted with three posts', () => {
    const bands = bandsOf([hour(1, 18, 2, 20), hour(1, 19, 1, 40), hour(7, 20, 2, 100)]);
    expect(bands).toEqual([
      { weekday: 1, hour: 18, posts: 3, engagement: 60, average: 20, lowConfidence: false },
      { weekday: 7, hour: 20, posts: 2, engagement: 100, average: 50, lowConfidence: true },
    ]);
    expect(rankBands(bands).map(nameBand)).toEqual(['Mon 18–20', 'Sun 20–22']);
  });

  test.each([
    ['06 to 22', [9, 19], [6, 20]],
    ['an earlier morning', [3, 15], [2, 16]],
    ['a later night', [13, 23], [8, 22]],
    ['more than eight only if they must be', [0, 23], [0, 22]],
  ])('have eight columns: %s', (_, hours, [first, last]) => {
    const columns = columnsOf(bandsOf(hours.map((one) => hour(1, one, 1, 1))));
    expect([columns[0], columns.at(-1)]).toEqual([first, last]);
    expect(columns.length).toBe(hours[0] === 0 ? 12 : 8);
  });

  test('name the hours that they leave out', () => {
    expect(omittedHours(columnsOf([]))).toBe('22:00 – 06:00');
    expect(omittedHours([0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22])).toBeUndefined();
  });
});

describe('the chart', () => {
  const days = [
    { date: '2026-11-14', posts: 1, readPosts: 0, views: 0, engagement: 0 },
    { date: '2026-11-15', posts: 2, readPosts: 1, views: 0, engagement: 30 },
    { date: '2026-11-16', posts: 1, readPosts: 1, views: 0, engagement: 4 },
  ];
  const daysBefore = [{ date: '2026-09-18', posts: 1, readPosts: 1, views: 0, engagement: 9 }];
  const coverage = { beganAt: '2026-11-10T10:00:00Z', unfinishedDay: '2026-11-16', accounts: [] };

  test('knows the day that is not over, and the days before the first post', () => {
    const { points, unit } = pointsOf({ days, daysBefore, coverage }, range, { isComparable: false, zone });
    expect([unit, points.length]).toEqual(['day', 30]);
    const today = { date: '2026-11-16', now: 4, posts: 1, isUnread: false, isUnfinished: true, hasBegun: true };
    expect(points.at(-1)).toEqual(today);
    expect(points.filter(({ isUnfinished }) => isUnfinished)).toHaveLength(1);
    expect(points.find(({ hasBegun }) => hasBegun)?.date).toBe('2026-11-10');
  });

  test('knows the days with posts and without a number', () => {
    const { points } = pointsOf({ days, daysBefore, coverage }, range, { isComparable: false, zone });
    expect(points.filter(({ isUnread }) => isUnread).map(({ date }) => date)).toEqual(['2026-11-14']);
  });

  test('has the range before only if that is whole', () => {
    const { points } = pointsOf({ days, daysBefore, coverage }, range, { isComparable: true, zone });
    expect(points[0]?.before).toBe(9);
  });

  test('has straight segments and a round axis', () => {
    const spots = [
      [0, 10],
      [10, 20.04],
      [20, 0],
    ] as const;
    expect(linePath(spots)).toBe('M0,10L10,20L20,0');
    expect(axisFor(872)).toEqual({ top: 1000, step: 250 });
  });
});

describe('the engagement of a post on a phone', () => {
  const source = (likes: number, { statistics = 'Ok', readAt = '2026-11-16T15:00:00Z' } = {}) => ({
    account: { statistics: statistics as 'Ok' | 'Reconnect' | 'None' },
    entry: {
      publishedAt: '2026-11-16T09:00:00Z',
      metrics: { fetchedAt: readAt, likes, comments: 2, views: 1000, reach: 500, clicks: 9 },
    },
  });

  test('adds up what people did, not what they saw, until the last read', () => {
    expect(totalEngagement([source(10), source(5, { readAt: '2026-11-16T12:00:00Z' })])).toEqual({
      engagement: 19,
      hours: 6,
      readAt: '2026-11-16T15:00:00Z',
    });
  });

  test('leaves out accounts whose statistics cannot be read, and says nothing without any', () => {
    const unread = source(0, { statistics: 'Reconnect' });
    expect(readEngagement(unread)).toBeUndefined();
    expect(totalEngagement([unread, source(1)])?.engagement).toBe(3);
    expect(totalEngagement([unread, { account: undefined, entry: undefined }])).toBeUndefined();
  });
});
