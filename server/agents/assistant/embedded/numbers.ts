import { type MetricsEntry, metricNames, type Summary, type Totals } from '#contracts/analytics';
import { accountsIn, connectedAccounts, networksOf } from './accounts.ts';
import { type Range, rangeIn } from './ranges.ts';
import { resolvePost, type Talk, type UserRequest, use } from './talk.ts';
import { countOf, hour, joinNames, moment, number, quote, weekdays } from './words.ts';

const defaultRange = 'last 7 days';
const bestTimesRange = 'last 90 days';

export function* numbers(request: UserRequest): Talk {
  const named = rangeIn(request.text, request.now, request.timeZone);
  if (named === undefined && /\b(this|it|that)\b/i.test(request.text)) return yield* numbersOfPost(request);
  const range = named ?? mustHave(defaultRange, request);
  const accounts = /\b(on|for|of|from|at)\b/i.test(request.text)
    ? accountsIn(request.text, yield* connectedAccounts())
    : [];
  const input = { accountIds: accounts.map(({ id }) => id), timeZone: request.timeZone };
  const summaryOf = (from: string, to: string) => use<Summary>('analytics.summary', { from, to, ...input }, acceptPart);
  const summary = yield* summaryOf(range.from, range.to);
  return [
    describeTotals(summary.totals, range, networksOf(accounts)),
    range.isUnfinished
      ? ''
      : compareTotals(summary.totals, (yield* summaryOf(range.before.from, range.before.to)).totals, range),
    bestOf(summary),
  ]
    .filter(Boolean)
    .join(' ');
}

const acceptPart = { acceptsPart: true };

const mustHave = (words: string, { now, timeZone }: UserRequest): Range => {
  const range = rangeIn(words, now, timeZone);
  if (range === undefined) throw new Error(`${words} is no range`);
  return range;
};

const describeTotals = (totals: Totals, { label, days }: Range, networks: readonly string[]) => {
  const { posts, engagement, views, comments } = totals;
  const where = networks.length > 0 ? ` on ${joinNames(networks)}` : '';
  const when = label === days ? label : `${label} (${days})`;
  if (posts === 0) return `Nothing was published${where} ${when}.`;
  if (isSilent(totals))
    return `${countOf(posts, 'post')}${where} ${when}, without numbers so far: nobody reacted, or nothing was read. Networks that report numbers are first read an hour after a post.`;
  return `${countOf(posts, 'post')}${where} ${when} brought **${countOf(engagement, 'engagement')}**, ${countOf(views, 'view')} and ${countOf(comments, 'comment')}.`;
};

/** All metrics are 0. Either nobody reacted or nothing was read; a summary does not tell which. */
const isSilent = (totals: Totals) => metricNames.every((name) => totals[name] === 0);

const compareTotals = (now: Totals, before: Totals, { before: { label } }: Range) => {
  if ((now.posts === 0 && before.posts === 0) || (now.posts > 0 && isSilent(now))) return '';
  if (before.engagement === 0)
    return before.posts === 0 ? `There was nothing ${label}.` : `No engagement was read ${label}.`;
  const change = Math.round(((now.engagement - before.engagement) / before.engagement) * 100);
  if (change === 0) return `That is about as much engagement as ${label}.`;
  return `That is ${number(Math.abs(change))}% ${change > 0 ? 'more' : 'less'} engagement than ${label} (${number(before.engagement)}).`;
};

const bestOf = ({ topPosts: [best] }: Summary) =>
  best && best.engagement > 0 ? `${quote(best.text)} did best with ${number(best.engagement)}.` : '';

function* numbersOfPost(request: UserRequest): Talk {
  const id = yield* resolvePost(request);
  const { accounts } = yield* use<{ accounts: MetricsEntry[] }>('posts.metrics', { id });
  if (accounts.length === 0) return 'That post is not published yet, so it has no numbers.';
  const lines = accounts.map(({ provider, metrics, nextFetchAt }) => {
    const next = nextFetchAt ? ` The next read is at ${moment(nextFetchAt, request.timeZone)}.` : '';
    if (metrics === undefined)
      return `- ${provider}: ${nextFetchAt ? `nothing read yet.${next}` : 'this network reports no statistics.'}`;
    const { fetchedAt, error, ...values } = metrics;
    const counts = Object.entries(values).map(([name, value]) => `${number(Number(value))} ${name}`);
    return `- ${provider}: ${joinNames(counts) || 'no numbers'}, read at ${moment(fetchedAt, request.timeZone)}.${error ? ' The last read failed.' : ''}`;
  });
  return `The numbers of that post:\n${lines.join('\n')}`;
}

export function* bestTimes(request: UserRequest): Talk {
  const range = rangeIn(request.text, request.now, request.timeZone) ?? mustHave(bestTimesRange, request);
  const { bestTimes: times } = yield* use<Summary>(
    'analytics.summary',
    { from: range.from, to: range.to, timeZone: request.timeZone },
    acceptPart,
  );
  if (times.length === 0) return `There are no numbers ${during(range)} to tell from. Publish a few posts first.`;
  const sure = times.filter(({ lowConfidence }) => !lowConfidence);
  const shown = (sure.length > 0 ? sure : times)
    .toSorted((a, b) => b.average - a.average || b.posts - a.posts)
    .slice(0, 3);
  const lines = shown.map(
    ({ weekday, hour: at, average, posts }) =>
      `- ${weekdays[weekday - 1]} ${hour(at)}: ${number(average)} engagements a post over ${countOf(posts, 'post')}`,
  );
  const head =
    sure.length > 0
      ? `Your best times ${during(range)}, in ${request.timeZone}:`
      : `That is a guess, as no hour had 3 posts ${during(range)}. In ${request.timeZone}:`;
  return `${head}\n${lines.join('\n')}`;
}

const during = ({ label }: Range) => (/^(the|in) /.test(label) ? label.replace(/^the/, 'in the') : label);
