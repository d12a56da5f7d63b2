import type { Account } from '#contracts/accounts';
import { type MetricName, metricNames, type Summary } from '#contracts/analytics';
import type { ProviderLimits } from '#contracts/providers';
import { quoted } from './compact-text.ts';

/** What the numbers of an account mean: 0 from a network that reports nothing is no result. */
export interface SummaryContext {
  readonly accounts: readonly Pick<Account, 'id' | 'handle' | 'statistics'>[];
  readonly limits: readonly Pick<ProviderLimits, 'provider' | 'constraints'>[];
}

const topPosts = 5;
const bestTimes = 5;
const textCharacters = 50;
const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Tables of what networks report, with the best of the lists. All of it is in `structuredContent`. */
export const describeSummary = (summary: Summary, context: SummaryContext) => {
  const { from, to, timeZone, totals, byAccount } = summary;
  if (totals.posts === 0) return `No posts were published from ${from} to ${to}.`;
  const reportedBy = (provider: string): readonly MetricName[] =>
    context.limits.find((one) => one.provider === provider)?.constraints.metrics ?? [];
  const columns = metricNames.filter((name) => byAccount.some(({ provider }) => reportedBy(provider).includes(name)));
  const row = ({ accountId, provider, totals }: Summary['byAccount'][number]) => {
    const { handle, statistics } = context.accounts.find(({ id }) => id === accountId) ?? {};
    const reported = reportedBy(provider);
    const numbers = columns.map((name) => (reported.includes(name) ? totals[name] : '-'));
    const cells =
      reported.length === 0
        ? ['not reported']
        : [...numbers, totals.engagement, ...(statistics === 'Reconnect' ? ['incomplete: reconnect'] : [])];
    return `- ${provider} ${handle === undefined ? '(disconnected)' : quoted(handle)}: ${[totals.posts, ...cells].join(', ')}`;
  };
  return [
    `${from} to ${to}: ${totals.posts} posts, engagement ${totals.engagement}.`,
    `accounts (posts, ${[...columns, 'engagement'].join(', ')}; - is not reported, which is not 0):`,
    ...byAccount.map(row),
    ...describeTop(summary),
    ...describeBestTimes(summary, timeZone),
  ].join('\n');
};

const describeTop = ({ topPosts: posts }: Summary) =>
  posts.length === 0
    ? []
    : [
        'top posts (engagement):',
        ...posts
          .slice(0, topPosts)
          .map(
            ({ postId, publishedAt, engagement, text }) =>
              `- ${postId} ${publishedAt.slice(0, 10)} ${engagement} ${start(text)}`,
          ),
      ];

const start = (text: string) =>
  quoted(text.length <= textCharacters ? text : `${text.slice(0, textCharacters - 1).toWellFormed()}…`);

const describeBestTimes = ({ bestTimes: times }: Summary, timeZone: string) => {
  const sure = times.filter(({ lowConfidence }) => !lowConfidence).sort((a, b) => b.average - a.average);
  if (sure.length === 0) return ['best times: no hour has 3 posts yet.'];
  const shown = sure
    .slice(0, bestTimes)
    .map(
      ({ weekday, hour, posts, average }) =>
        `${weekdays[weekday - 1]} ${hour}h ${Math.round(average * 10) / 10} (${posts})`,
    );
  return [`best times in ${quoted(timeZone)}, engagement per post (posts): ${shown.join(', ')}`];
};
