import type { Result } from '#contracts/posts';
import { type Books, sendKey } from './books.ts';
import type { Outage } from './instances.ts';
import { isAcknowledged, type LedgerCard, type LedgerPost } from './ledger.ts';
import type { Arrival } from './twins.ts';

export const problemKinds = [
  'twice',
  'lost',
  'said wrongly',
  'event',
  'card',
  'plan',
  'upload',
  'floor',
  'process',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

export interface Problem {
  readonly kind: ProblemKind;
  readonly what: string;
}

export interface Evidence {
  readonly posts: readonly LedgerPost[];
  readonly cards: readonly LedgerCard[];
  readonly uploads: ReadonlyMap<string, string>;
  readonly plan: { readonly scheduled: number; readonly unscheduled: number; readonly lost: number };
  readonly planLimit: number;
  /** Account ids by network. */
  readonly accounts: ReadonlyMap<string, string>;
  readonly arrivals: readonly Arrival[];
  /** Networks that refused a token at some time. */
  readonly refusedTokens: ReadonlySet<string>;
  readonly books: Books;
  /** Event ids that the webhook received. */
  readonly delivered: ReadonlySet<string>;
  readonly outages: readonly Outage[];
  /** The largest clock skew of the run. */
  readonly maxSkewMs: number;
  /** The minimum share of published sends. */
  readonly floor: number;
}

/** The reported results of a post at the end of a round of publishing. */
interface Statement {
  readonly results: readonly Result[];
  readonly saidAt: string;
  /** The time span of the round, which ends when somebody publishes again. */
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Compares what was acknowledged and reported with what arrived at the networks. */
export const findProblems = (evidence: Evidence): Problem[] => [
  ...evidence.posts.flatMap((post) => problemsOfPost(evidence, post)),
  ...unexpectedArrivals(evidence),
  ...problemsOfEvents(evidence),
  ...evidence.cards.flatMap((card) => problemsOfCard(evidence, card)),
  ...problemsOfPlan(evidence),
  ...[...evidence.uploads.keys()].flatMap((id) =>
    evidence.books.mediaIds.has(id) ? [] : [{ kind: 'upload' as const, what: `${id} was acknowledged and is gone` }],
  ),
  ...problemsOfFloor(evidence),
];

const problemsOfPost = (evidence: Evidence, post: LedgerPost): Problem[] => {
  const stored = evidence.books.posts.get(post.id);
  if (stored === undefined || stored.body !== post.plan.bodies[0]) {
    return [{ kind: 'lost', what: `${nameOf(post)} was acknowledged and is ${stored ? 'another post' : 'gone'}` }];
  }
  const problems: Problem[] = [];
  if (isAcknowledged(post) && stored.status !== 'Published' && stored.status !== 'Failed') {
    problems.push({ kind: 'lost', what: `${nameOf(post)} was to go out and is ${stored.status}` });
  }
  for (const network of post.plan.networks) problems.push(...problemsOfSend(evidence, post, network));
  return problems;
};

/** One post on one account. */
const problemsOfSend = (evidence: Evidence, post: LedgerPost, network: string): Problem[] => {
  const accountId = evidence.accounts.get(network) ?? '';
  const arrivals = evidence.arrivals.filter(
    (one) => one.network === network && one.marker?.number === post.plan.number,
  );
  const about = (what: string) =>
    `${nameOf(post)} on ${network} (${accountId}): ${what}; ${describeArrivals(arrivals)}`;
  const problems: Problem[] = [];

  for (const part of post.plan.parts) {
    const times = arrivals.filter(({ marker }) => marker?.part === part).length;
    if (times > 1) problems.push({ kind: 'twice', what: about(`${part} is public ${times} times`) });
  }
  if (post.presses.length === 0 && arrivals.length > 0) {
    problems.push({ kind: 'said wrongly', what: about('is public, and nobody said yes') });
  }
  const early = earlyBy(evidence, post, arrivals);
  if (early > 0) problems.push({ kind: 'said wrongly', what: about(`went out ${Math.round(early / 1000)} s early`) });

  for (const statement of statementsOn(evidence, post)) {
    const result = statement.results.find((one) => one.accountId === accountId);
    const wrong = result ? whyWrong(evidence, post, network, statement, result, arrivals) : 'has no result';
    if (wrong !== undefined) {
      problems.push({ kind: 'said wrongly', what: about(`${wrong}, said at ${statement.saidAt}`) });
    }
  }
  return problems;
};

const whyWrong = (
  { outages, refusedTokens }: Evidence,
  { plan: { parts } }: LedgerPost,
  network: string,
  { fromMs, untilMs }: Statement,
  { ok, uncertain, error }: Result,
  arrivals: readonly Arrival[],
): string | undefined => {
  const isPublic = (part: string) =>
    arrivals.some(({ marker, requestedAtMs }) => marker?.part === part && requestedAtMs < untilMs);
  if (ok) {
    const missing = parts.filter((part) => !arrivals.some(({ marker }) => marker?.part === part));
    return missing.length > 0 ? `said ok, and ${missing.join(', ')} never arrived` : undefined;
  }
  const message = error?.message ?? '';
  if (/server .*stopped/i.test(message) && !outages.some((one) => one.fromMs < untilMs && one.untilMs > fromMs)) {
    return `said "${message}", and no server had stopped`;
  }
  if (uncertain) return undefined;
  if (error?.code === 'reconnect' && !refusedTokens.has(network)) return 'said reconnect, and no token was refused';
  const out = Number(/^(\d+) of \d+ parts are out/.exec(message)?.[1] ?? 0);
  const unexpected = parts.slice(out).filter(isPublic);
  if (unexpected.length > 0) return `said ${error?.code} ("${message}"), and ${unexpected.join(', ')} is public`;
  const missing = parts.slice(0, out).filter((part) => !isPublic(part));
  return missing.length > 0 ? `said "${message}", and ${missing.join(', ')} never arrived` : undefined;
};

/**
 * The results in the event of each round, and the current results of the post: an uncertain one may have changed since. A
 * round begins with a successful press and ends with one event. If answers were lost, it is unknown which presses succeeded,
 * and only the current results are judged.
 */
const statementsOn = ({ books }: Evidence, { id, presses }: LedgerPost): Statement[] => {
  const events = books.events.filter(({ postId }) => postId === id);
  const rounds = presses.filter(({ end }) => end !== 'refused');
  const statements = events.map(({ results, createdAt }, index) => ({
    results,
    saidAt: createdAt,
    fromMs: rounds[index]?.atMs ?? 0,
    untilMs: rounds[index + 1]?.atMs ?? Number.POSITIVE_INFINITY,
  }));
  const results = books.posts.get(id)?.results ?? [];
  const now = { results, saidAt: 'the end', fromMs: rounds[0]?.atMs ?? 0, untilMs: Number.POSITIVE_INFINITY };
  return [
    ...(statements.length === rounds.length ? statements.slice(0, -1) : []),
    ...(statements.length > 0 ? [now] : []),
  ];
};

/** Only the first round waits for a scheduled time. */
const earlyBy = ({ maxSkewMs }: Evidence, { scheduledFor, presses }: LedgerPost, arrivals: readonly Arrival[]) => {
  const rounds = presses.filter(({ end }) => end !== 'refused');
  if (scheduledFor === undefined || rounds.length !== 1) return 0;
  const firstMs = Math.min(...arrivals.map(({ acceptedAtMs }) => acceptedAtMs));
  return Number.isFinite(firstMs) ? Date.parse(scheduledFor) - firstMs - maxSkewMs : 0;
};

/** Arrivals that belong to no acknowledged post, or to another network. */
const unexpectedArrivals = ({ posts, arrivals }: Evidence): Problem[] => {
  const byNumber = new Map(posts.map((post) => [post.plan.number, post]));
  return arrivals.flatMap(({ network, text, marker }) => {
    const post = marker && byNumber.get(marker.number);
    if (post?.plan.networks.includes(network) && post.plan.parts.includes(marker?.part ?? '')) return [];
    return [
      {
        kind: 'said wrongly' as const,
        what: `"${text.slice(0, 80)}" is public on ${network}, and nobody asked for it`,
      },
    ];
  });
};

/** Each end of publishing has one event, which was delivered to the webhook. */
const problemsOfEvents = ({ posts, books, delivered }: Evidence): Problem[] => [
  ...posts.flatMap((post) => {
    const events = books.events.filter(({ postId }) => postId === post.id);
    const problems = [
      wrongCount(post, events),
      ...events.map(wrongType),
      wrongAtTheEnd(events.at(-1), books.posts.get(post.id)),
    ].filter((what) => what !== undefined);
    return problems.map((what) => ({ kind: 'event' as const, what: `${nameOf(post)} ${what}` }));
  }),
  ...books.events.flatMap(({ id, postId }) =>
    delivered.has(id) ? [] : [{ kind: 'event' as const, what: `${id} of ${postId} was never delivered` }],
  ),
];

/** One event per successful press, and one more when the last uncertain account turned out to have the post. */
const wrongCount = ({ presses }: LedgerPost, events: Books['events']) => {
  const wasUncertain = events.slice(0, -1).some(({ results }) => results.some(({ uncertain }) => uncertain));
  const hasSettled = wasUncertain && events.at(-1)?.type === 'post.published';
  const least = presses.filter(({ end }) => end === 'taken').length;
  const most = presses.filter(({ end }) => end !== 'refused').length + (hasSettled ? 1 : 0);
  if (events.length >= least && events.length <= most) return undefined;
  return `has ${events.length} events instead of ${least === most ? least : `${least} to ${most}`}`;
};

const wrongType = ({ id, type, status, results }: Books['events'][number]) => {
  const expected = results.every(({ ok }) => ok) ? 'post.published Published' : 'post.failed Failed';
  return `${type} ${status}` === expected ? undefined : `has ${id}, which is ${type} with status ${status}`;
};

/** After the last event only uncertain results may change. */
const wrongAtTheEnd = (
  last: Books['events'][number] | undefined,
  stored: { status: string; results: readonly Result[] } | undefined,
) => {
  if (last === undefined || stored === undefined) return undefined;
  const isPublished = stored.results.every(({ ok }) => ok);
  if (stored.status !== (isPublished ? 'Published' : 'Failed')) return `is ${stored.status} with other results`;
  if (isPublished && last.type !== 'post.published') return `is Published, and ${last.id} says otherwise`;
  const isKept = ({ accountId, ok, uncertain }: Result) =>
    uncertain || stored.results.some((one) => one.accountId === accountId && one.ok === ok && !one.uncertain);
  return last.results.every(isKept) ? undefined : `has other results than ${last.id} says`;
};

const problemsOfCard = ({ books }: Evidence, { id, decision, successes, lost }: LedgerCard): Problem[] => {
  const status = books.cards.get(id);
  const decisions = books.decisions.get(id) ?? 0;
  const expected = decision === 'approve' ? 'Approved' : 'Rejected';
  const problems: string[] = [];
  if (status === undefined) problems.push('is gone');
  if (successes > 1) problems.push(`answered ${successes} presses with success`);
  if (decisions > 1) problems.push(`was decided ${decisions} times`);
  if (successes > 0 && (status !== expected || decisions === 0)) {
    problems.push(`said yes to "${decision}" and is ${status} with ${decisions} entries in the audit log`);
  }
  if (successes === 0 && lost === 0 && decisions > 0) problems.push(`is ${status}, and no press was taken`);
  return problems.map((what) => ({ kind: 'card', what: `${id} ${what}` }));
};

const problemsOfPlan = ({ plan, planLimit, books: { plan: stored } }: Evidence): Problem[] => {
  const problems: string[] = [];
  const counted = plan.scheduled - plan.unscheduled;
  if (stored.scheduled > planLimit)
    problems.push(`${stored.scheduled} posts are scheduled, and the plan allows ${planLimit}`);
  if (stored.used !== stored.scheduled)
    problems.push(`the plan counts ${stored.used}, and ${stored.scheduled} posts are scheduled`);
  if (Math.abs(stored.used - counted) > plan.lost) {
    problems.push(`the plan counts ${stored.used}, and ${counted} were acknowledged (${plan.lost} without an answer)`);
  }
  return problems.map((what) => ({ kind: 'plan', what }));
};

/** A run in which few posts are published proves little. */
const problemsOfFloor = (evidence: Evidence): Problem[] => {
  const { published, sends } = countSends(evidence);
  if (sends > 0 && published / sends >= evidence.floor) return [];
  const what = `${published} of ${sends} sends were published, and it should be ${Math.round(evidence.floor * 100)} % at least`;
  return [{ kind: 'floor', what }];
};

/** Permanent failures, as opposed to temporary trouble. */
const permanentCodes = ['content_refused', 'permission', 'invalid'];

/** LinkedIn shows no app the posts of a profile, so only a person can tell whether a lost answer became a post. */
const cannotBeAsked = new Set(['linkedin']);

/** How sends ended: published after all, settled without a person, or in need of one at their first final result. */
export const countSends = (evidence: Evidence) => {
  const { posts, accounts, books } = evidence;
  const needsHuman: Record<string, number> = {};
  const counts = { sends: 0, published: 0, settled: 0, cannotBeAsked: 0, needsHumanThere: 0 };
  for (const post of posts.filter(isAcknowledged)) {
    const [first] = books.events.filter(({ postId }) => postId === post.id);
    const last = books.posts.get(post.id)?.results ?? [];
    for (const network of post.plan.networks) {
      const isOurs = ({ accountId }: Result) => accountId === accounts.get(network);
      counts.sends++;
      if (last.find(isOurs)?.ok) counts.published++;
      const code = whyHuman(evidence, post, network);
      if (cannotBeAsked.has(network)) {
        counts.cannotBeAsked++;
        if (code !== undefined) counts.needsHumanThere++;
      } else if (code !== undefined) {
        const cause = `${code} on ${network}`;
        needsHuman[cause] = (needsHuman[cause] ?? 0) + 1;
      } else if (last.find(isOurs)?.ok && !first?.results.find(isOurs)?.ok) counts.settled++;
    }
  }
  return { ...counts, needsHuman };
};

/** The error code of a send that a person had to look after, whoever acted later; undefined when nobody had to. */
const whyHuman = (
  { accounts, books, arrivals, refusedTokens }: Evidence,
  { id, plan: { number }, publishedAgainAtMs = Number.POSITIVE_INFINITY }: LedgerPost,
  network: string,
) => {
  const result = books.firstFinals.get(sendKey(id, accounts.get(network) ?? ''));
  if (result?.ok) {
    const isSentByPerson = arrivals.some(
      (one) => one.network === network && one.marker?.number === number && one.requestedAtMs > publishedAgainAtMs,
    );
    return isSentByPerson ? 'not_sent' : undefined;
  }
  const code = result?.error?.code ?? 'no result';
  const isPermanent = permanentCodes.includes(code) || (code === 'reconnect' && refusedTokens.has(network));
  return isPermanent ? undefined : code;
};

const nameOf = ({ id, plan: { number, kind } }: LedgerPost) => `post ${number} (${kind}, ${id})`;

const describeArrivals = (arrivals: readonly Arrival[]) =>
  arrivals.length === 0
    ? 'nothing arrived'
    : `arrived: ${arrivals.map(({ marker, externalId, requestedAtMs, acceptedAtMs }) => `${marker?.part} as ${externalId} asked ${clockTime(requestedAtMs)} accepted ${clockTime(acceptedAtMs)}`).join(', ')}`;

const clockTime = (ms: number) => new Date(ms).toISOString().slice(11, 23);
