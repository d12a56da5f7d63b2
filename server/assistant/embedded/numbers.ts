import type { MetricsEntry, Summary, Totals } from '#contracts/analytics';
import { accountsIn, connected, networksOf } from './accounts.ts';
import { type Range, rangeIn } from './ranges.ts';
import { type Asked, postMeant, type Talk, use } from './talk.ts';
import { counted, hour, listed, moment, number, quoted, weekdays } from './words.ts';

const usualRange = 'last 7 days';
const bestTimesRange = 'last 90 days';

export function* numbers(asked: Asked): Talk {
  const named = rangeIn(asked.text, asked.now, asked.timeZone);
  if (named === undefined && /\b(this|it|that)\b/i.test(asked.text)) return yield* numbersOfPost(asked);
  const range = named ?? mustHave(usualRange, asked);
  const accounts = /\b(on|for|of|from|at)\b/i.test(asked.text) ? accountsIn(asked.text, yield* connected()) : [];
  const input = { accountIds: accounts.map(({ id }) => id), timeZone: asked.timeZone };
  const summary = yield* use<Summary>('analytics.summary', { from: range.from, to: range.to, ...input }, whole);
  const { from, to } = range.before;
  const before = yield* use<Summary>('analytics.summary', { from, to, ...input }, whole);
  return [
    describeTotals(summary.totals, range, networksOf(accounts)),
    compared(summary.totals, before.totals, range),
    bestOf(summary),
  ]
    .filter(Boolean)
    .join(' ');
}

const whole = { partWillDo: true };

const mustHave = (words: string, { now, timeZone }: Asked): Range => {
  const range = rangeIn(words, now, timeZone);
  if (range === undefined) throw new Error(`${words} is no range`);
  return range;
};

const describeTotals = (
  { posts, engagement, views, comments }: Totals,
  { label, days }: Range,
  networks: readonly string[],
) => {
  const where = networks.length > 0 ? ` on ${listed(networks)}` : '';
  const when = label === days ? label : `${label} (${days})`;
  if (posts === 0) return `Nothing was published${where} ${when}.`;
  return `${counted(posts, 'post')}${where} ${when} brought **${counted(engagement, 'engagement')}**, ${counted(views, 'view')} and ${counted(comments, 'comment')}.`;
};

const compared = (now: Totals, before: Totals, { before: { label } }: Range) => {
  if (now.posts === 0 && before.posts === 0) return '';
  if (before.engagement === 0)
    return before.posts === 0 ? `There was nothing ${label}.` : `There was no engagement ${label}.`;
  const change = Math.round(((now.engagement - before.engagement) / before.engagement) * 100);
  if (change === 0) return `That is about as much engagement as ${label}.`;
  return `That is ${number(Math.abs(change))}% ${change > 0 ? 'more' : 'less'} engagement than ${label} (${number(before.engagement)}).`;
};

const bestOf = ({ topPosts: [best] }: Summary) =>
  best && best.engagement > 0 ? `${quoted(best.text)} did best with ${number(best.engagement)}.` : '';

function* numbersOfPost(asked: Asked): Talk {
  const id = yield* postMeant(asked);
  const { accounts } = yield* use<{ accounts: MetricsEntry[] }>('posts.metrics', { id });
  if (accounts.length === 0) return 'That post is not published yet, so it has no numbers.';
  const lines = accounts.map(({ provider, metrics, nextFetchAt }) => {
    const next = nextFetchAt ? ` The next read is at ${moment(nextFetchAt, asked.timeZone)}.` : '';
    if (metrics === undefined)
      return `- ${provider}: ${nextFetchAt ? `nothing read yet.${next}` : 'this network reports no statistics.'}`;
    const { fetchedAt, error, ...found } = metrics;
    const told = Object.entries(found).map(([name, value]) => `${number(Number(value))} ${name}`);
    return `- ${provider}: ${listed(told) || 'no numbers'}, read at ${moment(fetchedAt, asked.timeZone)}.${error ? ' The last read failed.' : ''}`;
  });
  return `The numbers of that post:\n${lines.join('\n')}`;
}

export function* bestTimes(asked: Asked): Talk {
  const range = rangeIn(asked.text, asked.now, asked.timeZone) ?? mustHave(bestTimesRange, asked);
  const { bestTimes: times } = yield* use<Summary>(
    'analytics.summary',
    { from: range.from, to: range.to, timeZone: asked.timeZone },
    whole,
  );
  if (times.length === 0) return `There are no numbers ${during(range)} to tell from. Publish a few posts first.`;
  const sure = times.filter(({ lowConfidence }) => !lowConfidence);
  const shown = (sure.length > 0 ? sure : times)
    .toSorted((a, b) => b.average - a.average || b.posts - a.posts)
    .slice(0, 3);
  const lines = shown.map(
    ({ weekday, hour: at, average, posts }) =>
      `- ${weekdays[weekday - 1]} ${hour(at)}: ${number(average)} engagements a post over ${counted(posts, 'post')}`,
  );
  const head =
    sure.length > 0
      ? `Your best times ${during(range)}, in ${asked.timeZone}:`
      : `That is a guess, as no hour had 3 posts ${during(range)}. In ${asked.timeZone}:`;
  return `${head}\n${lines.join('\n')}`;
}

const during = ({ label }: Range) => (/^(the|in) /.test(label) ? label.replace(/^the/, 'in the') : label);
