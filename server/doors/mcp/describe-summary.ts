import type { Account } from '#contracts/accounts';
import { type MetricName, metricNames, type Summary } from '#contracts/analytics';
import type { ProviderLimits } from '#contracts/providers';
import { quantity } from '#server/base/quantity';
import { shorten } from '#server/base/shorten';
import { quoted } from './compact-text.ts';

/** What the metrics of an account mean: 0 from a network that reports nothing is not a result. */
export interface SummaryContext {
  readonly accounts: readonly Pick<Account, 'id' | 'handle' | 'statistics'>[];
  readonly limits: readonly Pick<ProviderLimits, 'provider' | 'constraints'>[];
}

const topPosts = 3;
const bestTimes = 3;
const textCharacters = 40;
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

type AccountTotals = Summary['byAccount'][number];

/** Tables of what networks report, with the top entries of the lists. `structuredContent` has everything. */
export const describeSummary = (summary: Summary, context: SummaryContext) => {
  const { from, to, timeZone, totals, byAccount } = summary;
  if (totals.posts === 0) return `No posts were published from ${from} to ${to}.`;
  const reportedBy = (provider: string): readonly MetricName[] =>
    context.limits.find((one) => one.provider === provider)?.constraints.metrics ?? [];
  const columns = metricNames.filter((name) => byAccount.some(({ provider }) => reportedBy(provider).includes(name)));
  const nameOf = ({ accountId, provider }: AccountTotals) => {
    const handle = context.accounts.find(({ id }) => id === accountId)?.handle;
    return `${provider} ${handle === undefined ? '(disconnected)' : quoted(handle)}`;
  };
  const row = (account: AccountTotals) => {
    const { accountId, provider, totals } = account;
    const needsReconnect = context.accounts.find(({ id }) => id === accountId)?.statistics === 'Reconnect';
    const reported = reportedBy(provider);
    const numbers = [...columns.map((name) => (reported.includes(name) ? totals[name] : '-')), totals.engagement];
    const hasNumbers = reported.some((name) => totals[name] !== 0);
    const cells = [
      totals.posts,
      ...(hasNumbers || !needsReconnect ? numbers : []),
      ...(needsReconnect ? ['(incomplete: reconnect)'] : []),
    ];
    return `- ${nameOf(account)}: ${cells.join(' ')}`;
  };
  const reporting = byAccount.filter(({ provider }) => reportedBy(provider).length > 0);
  const silent = byAccount.filter(({ provider }) => reportedBy(provider).length === 0);
  return [
    `${count(totals)}, engagement ${totals.engagement}.`,
    ...(metricNames.every((name) => totals[name] === 0) ? ['All 0: nothing happened, or nothing was read.'] : []),
    `accounts, with columns ${['posts', ...columns, 'engagement'].join(' ')} (- is not reported, which is not 0):`,
    ...reporting.map(row),
    ...(silent.length === 0
      ? []
      : [`not reported: ${silent.map((one) => `${nameOf(one)} (${count(one.totals)})`).join(', ')}`]),
    ...describeTop(summary),
    ...describeBestTimes(summary, timeZone),
  ].join('\n');
};

const count = ({ posts }: { posts: number }) => quantity(posts, 'post');

const describeTop = ({ topPosts: posts }: Summary) =>
  posts.length === 0
    ? []
    : [
        'top posts (date, engagement):',
        ...posts
          .slice(0, topPosts)
          .map(
            ({ postId, publishedAt, engagement, text }) =>
              `- ${postId} ${dayOf(publishedAt)} ${engagement} ${start(text)}`,
          ),
      ];

/** 2026-10-26T… → Oct 26 */
const dayOf = (instant: string) => `${months[Number(instant.slice(5, 7)) - 1]} ${Number(instant.slice(8, 10))}`;

const start = (text: string) => quoted(shorten(text, textCharacters));

const describeBestTimes = ({ bestTimes: times }: Summary, timeZone: string) => {
  const sure = times.filter(({ lowConfidence }) => !lowConfidence).sort((a, b) => b.average - a.average);
  if (sure.length === 0) return ['best times: no hour has 3 posts yet.'];
  const shown = sure
    .slice(0, bestTimes)
    .map(({ weekday, hour, posts, average }) => `${weekdays[weekday - 1]} ${hour}h ${Math.round(average)} (${posts})`);
  return [`best times in ${quoted(timeZone)}, engagement per post (posts): ${shown.join(', ')}`];
};
