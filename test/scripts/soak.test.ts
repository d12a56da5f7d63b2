import { describe, expect, test } from 'vitest';
import type { Result } from '#contracts/posts';
import type { Books } from '#scripts/soak/books';
import { countSends, type Evidence, findProblems } from '#scripts/soak/find-problems';
import type { LedgerCard, LedgerPost, Press } from '#scripts/soak/ledger';
import { planPost, readMarker, shapePost } from '#scripts/soak/posts';
import { createStreams } from '#scripts/soak/random';
import { addSummaries } from '#scripts/soak/report';
import { runSoak } from '#scripts/soak/run';
import type { Arrival } from '#scripts/soak/twins';

const begunMs = Date.parse('2026-03-01T12:00:00Z');
const at = (seconds: number) => begunMs + seconds * 1000;
const pressed = (seconds: number, end: Press['end'] = 'taken'): Press => ({ atMs: at(seconds), end });

const arrival = (part: string, requested: number, accepted = requested): Arrival => ({
  network: 'x',
  externalId: `x-${part}-${requested}`,
  text: `Soak post 1 ${part}.`,
  marker: { number: 1, part },
  requestedAtMs: at(requested),
  acceptedAtMs: at(accepted),
});

const ok: Result = { accountId: 'acct_x', ok: true, uncertain: false, externalId: '1' };
const failed = (code: 'not_sent' | 'uncertain' | 'reconnect', message = 'Publish again.'): Result => ({
  accountId: 'acct_x',
  ok: false,
  uncertain: code === 'uncertain',
  error: { code, message },
});

/** Evidence for one post to one account: publish clicks, the outcome reported after each round, and what arrived. */
const evidenceOf = ({
  presses = [pressed(0)],
  said = [ok],
  arrivals = [arrival('part 1', 1)],
  items = 1,
  scheduledFor,
  publishedAgain,
  firstFinal = said.at(-1),
  network = 'x',
  ...others
}: {
  presses?: Press[];
  said?: Result[];
  arrivals?: Arrival[];
  items?: number;
  scheduledFor?: string;
  publishedAgain?: number;
  firstFinal?: Result | undefined;
  network?: string;
} & Partial<Evidence> = {}): Evidence => {
  const kind = items > 1 ? 'thread' : 'text';
  const plan = shapePost({ number: 1, kind, way: 'publish', networks: [network], items, aheadMs: 0 });
  const post: LedgerPost = {
    id: 'post_1',
    plan,
    presses,
    ...(scheduledFor !== undefined && { scheduledFor }),
    ...(publishedAgain !== undefined && { publishedAgainAtMs: at(publishedAgain) }),
  };
  const statusOf = (result: Result) => (result.ok ? ('Published' as const) : ('Failed' as const));
  const events = said.map((result, index) => ({
    id: `evt_${index}`,
    postId: 'post_1',
    type: result.ok ? 'post.published' : 'post.failed',
    status: statusOf(result),
    results: [result],
    createdAt: '2026-03-01',
  }));
  const last = said.at(-1);
  const stored = {
    status: last ? statusOf(last) : ('Draft' as const),
    body: plan.bodies[0] ?? '',
    results: last ? [last] : [],
  };
  const books: Books = {
    posts: new Map([['post_1', stored]]),
    events,
    firstFinals: new Map(firstFinal && [['post_1 acct_x', firstFinal]]),
    cards: new Map(),
    decisions: new Map(),
    mediaIds: new Set(),
    plan: { used: 0, scheduled: 0 },
  };
  return {
    posts: [post],
    cards: [],
    uploads: new Map(),
    plan: { scheduled: 0, unscheduled: 0, lost: 0 },
    planLimit: 30,
    accounts: new Map([[network, 'acct_x']]),
    arrivals,
    refusedTokens: new Set(),
    books,
    delivered: new Set(events.map(({ id }) => id)),
    outages: [],
    maxSkewMs: 0,
    floor: 0,
    ...others,
  };
};

const problems = (evidence: Evidence) => findProblems(evidence).map(({ kind }) => kind);

describe('the witness of the soak', () => {
  test('has nothing to say about a post that was published once and called so', () => {
    expect(findProblems(evidenceOf())).toEqual([]);
  });

  test('sees a post that is public twice, also when both times it was accepted late', () => {
    const arrivals = [arrival('part 1', 1, 300), arrival('part 1', 90, 91)];
    expect(problems(evidenceOf({ arrivals }))).toEqual(['twice']);
  });

  test('sees ok without an arrival', () => {
    expect(problems(evidenceOf({ arrivals: [] }))).toEqual(['said wrongly']);
  });

  test('sees a thread that was called published and lacks a part', () => {
    expect(problems(evidenceOf({ items: 2 }))).toEqual(['said wrongly']);
  });

  test('sees not_sent for a post that a late network publishes afterwards', () => {
    expect(problems(evidenceOf({ said: [failed('not_sent')], arrivals: [arrival('part 1', 1, 400)] }))).toEqual([
      'said wrongly',
    ]);
  });

  test('accepts not_sent when only the request of the next round arrived', () => {
    const presses = [pressed(0), pressed(100)];
    const arrivals = [arrival('part 1', 101)];
    expect(findProblems(evidenceOf({ presses, said: [failed('not_sent'), ok], arrivals }))).toEqual([]);
  });

  test('accepts uncertain, whether it arrived or not', () => {
    const said = [failed('uncertain')];
    expect(findProblems(evidenceOf({ said }))).toEqual([]);
    expect(findProblems(evidenceOf({ said, arrivals: [] }))).toEqual([]);
  });

  test('holds the parts of a thread that are said to be out against those that are', () => {
    const said = [failed('not_sent', '1 of 2 parts are out; publishing again continues with the next.')];
    expect(findProblems(evidenceOf({ items: 2, said }))).toEqual([]);
    const both = [arrival('part 1', 1), arrival('part 2', 2)];
    expect(problems(evidenceOf({ items: 2, said, arrivals: both }))).toEqual(['said wrongly']);
    expect(problems(evidenceOf({ items: 2, said, arrivals: [] }))).toEqual(['said wrongly']);
  });

  test('sees that no server had stopped', () => {
    const said = [failed('not_sent', 'The server that sent it stopped, and X does not have the post.')];
    expect(problems(evidenceOf({ said, arrivals: [] }))).toEqual(['said wrongly']);
    const outages = [{ role: 'jobs' as const, fault: 'kill', fromMs: at(2), untilMs: at(5) }];
    expect(findProblems(evidenceOf({ said, arrivals: [], outages }))).toEqual([]);
    const before = [{ role: 'jobs' as const, fault: 'kill', fromMs: at(-9), untilMs: at(-5) }];
    expect(problems(evidenceOf({ said, arrivals: [], outages: before }))).toEqual(['said wrongly']);
  });

  test('sees an account that is to be reconnected though no token was refused', () => {
    const said = [failed('reconnect')];
    expect(problems(evidenceOf({ said, arrivals: [] }))).toEqual(['said wrongly']);
    expect(findProblems(evidenceOf({ said, arrivals: [], refusedTokens: new Set(['x']) }))).toEqual([]);
  });

  test('sees what is public without a yes, or before its time', () => {
    expect(problems(evidenceOf({ presses: [], said: [] }))).toEqual(['said wrongly', 'floor']);
    const scheduledFor = new Date(at(60)).toISOString();
    expect(problems(evidenceOf({ scheduledFor }))).toEqual(['said wrongly']);
    expect(findProblems(evidenceOf({ scheduledFor, arrivals: [arrival('part 1', 61)] }))).toEqual([]);
  });

  test('sees what is public and belongs to nobody', () => {
    const stranger = { ...arrival('part 1', 1), marker: { number: 7, part: 'part 1' } };
    expect(problems(evidenceOf({ arrivals: [arrival('part 1', 1), stranger] }))).toEqual(['said wrongly']);
  });

  test('sees an acknowledged post that is gone, and one that never ended', () => {
    const evidence = evidenceOf();
    expect(problems({ ...evidence, books: { ...evidence.books, posts: new Map() } })).toEqual(['lost']);
    expect(problems(evidenceOf({ said: [], arrivals: [] }))).toEqual(['lost', 'event']);
  });

  test('wants one event for each end, delivered, and in agreement with the post', () => {
    expect(problems(evidenceOf({ said: [ok, ok] }))).toEqual(['event']);
    expect(problems(evidenceOf({ delivered: new Set() }))).toEqual(['event']);
    // A click without an answer may or may not have started a second round.
    expect(findProblems(evidenceOf({ presses: [pressed(0, 'lost'), pressed(5)] }))).toEqual([]);
    const evidence = evidenceOf();
    const posts = new Map([...evidence.books.posts].map(([id, post]) => [id, { ...post, status: 'Failed' as const }]));
    expect(problems({ ...evidence, books: { ...evidence.books, posts } })).toEqual(['event']);
  });

  test('allows only an uncertain result to change after its event, and wants an event when the post is published by that', () => {
    const changed = (said: Result[], now: Result, arrivals: Arrival[] = []) => {
      const evidence = evidenceOf({ said, arrivals });
      const posts = new Map([...evidence.books.posts].map(([id, post]) => [id, { ...post, results: [now] }]));
      return { ...evidence, books: { ...evidence.books, posts } };
    };
    expect(findProblems(changed([failed('uncertain')], failed('not_sent')))).toEqual([]);
    expect(problems(changed([failed('not_sent')], failed('uncertain')))).toEqual(['event']);
    const settled = evidenceOf({ said: [failed('uncertain'), ok] });
    expect(findProblems(settled)).toEqual([]);
    expect(countSends(settled)).toMatchObject({ published: 1, settled: 1, needsHuman: {} });
    expect(problems(evidenceOf({ said: [failed('not_sent'), ok], arrivals: [arrival('part 1', 5)] }))).toEqual([
      'event',
    ]);
    const unsettled = { ...settled, books: { ...settled.books, events: settled.books.events.slice(0, 1) } };
    expect(problems(unsettled)).toEqual(['event']);
  });

  test('counts a send as needing a person at its first final result, whoever acts later', () => {
    const again = { presses: [pressed(0), pressed(100)], publishedAgain: 100 };
    const needsHuman = (evidence: Parameters<typeof evidenceOf>[0]) => countSends(evidenceOf(evidence)).needsHuman;
    const notSent = { said: [failed('not_sent'), ok], arrivals: [arrival('part 1', 101)] };
    expect(needsHuman({ ...again, ...notSent, firstFinal: failed('not_sent') })).toEqual({ 'not_sent on x': 1 });
    // Published again while the first answer was uncertain: the person did it only if the second request arrived.
    const said = [failed('uncertain'), ok];
    expect(needsHuman({ ...again, said, arrivals: [arrival('part 1', 101)] })).toEqual({ 'not_sent on x': 1 });
    expect(needsHuman({ ...again, said, arrivals: [arrival('part 1', 1, 300)] })).toEqual({});
    expect(needsHuman({ ...again, said, firstFinal: failed('uncertain') })).toEqual({ 'uncertain on x': 1 });
    expect(needsHuman({ said: [failed('uncertain')], network: 'linkedin' })).toEqual({});
  });

  test('wants a card decided once, as the person was told', () => {
    const card: LedgerCard = { id: 'card_1', postNumber: 1, decision: 'approve', successes: 1, lost: 0 };
    const withCard = (status: 'Open' | 'Approved', decisions: number, change: Partial<LedgerCard> = {}) => {
      const evidence = evidenceOf({ cards: [{ ...card, ...change }] });
      const cards = new Map([['card_1', status]]);
      return { ...evidence, books: { ...evidence.books, cards, decisions: new Map([['card_1', decisions]]) } };
    };
    expect(findProblems(withCard('Approved', 1))).toEqual([]);
    expect(problems(withCard('Approved', 2))).toEqual(['card']);
    expect(problems(withCard('Approved', 1, { successes: 2 }))).toEqual(['card']);
    expect(problems(withCard('Open', 0))).toEqual(['card']);
    expect(problems(withCard('Approved', 1, { successes: 0 }))).toEqual(['card']);
  });

  test('wants the count of a plan to be what was acknowledged, within its limit', () => {
    const withPlan = (plan: Evidence['plan'], stored: Books['plan']) => {
      const evidence = evidenceOf({ plan });
      return { ...evidence, books: { ...evidence.books, plan: stored } };
    };
    const plan = { scheduled: 12, unscheduled: 2, lost: 0 };
    expect(findProblems(withPlan(plan, { used: 10, scheduled: 10 }))).toEqual([]);
    expect(problems(withPlan(plan, { used: 11, scheduled: 11 }))).toEqual(['plan']);
    expect(problems(withPlan(plan, { used: 10, scheduled: 11 }))).toEqual(['plan']);
    expect(problems(withPlan({ ...plan, scheduled: 33 }, { used: 31, scheduled: 31 }))).toEqual(['plan']);
  });

  test('wants every acknowledged upload to be there', () => {
    expect(problems(evidenceOf({ uploads: new Map([['media_1', 'sha']]) }))).toEqual(['upload']);
  });

  test('fails a run in which too little was published', () => {
    const evidence = evidenceOf({ said: [failed('not_sent')], arrivals: [], floor: 0.8 });
    expect(problems(evidence)).toEqual(['floor']);
    expect(problems({ ...evidenceOf({ floor: 0.8 }), posts: [], arrivals: [] })).toEqual(['floor']);
    expect(countSends(evidence)).toMatchObject({ sends: 1, published: 0, needsHuman: { 'not_sent on x': 1 } });
  });
});

test('in a short soak, processes are killed and connections break, and nothing is lost, twice or said wrongly', async () => {
  const summary = await runSoak({
    minutes: 0.2,
    faultsPerMinute: 75,
    postsPerMinute: 120,
    floor: 0.8,
    seed: 'short',
    weights: {
      'process kill': 3,
      'database restart': 1,
      'database cut': 4,
      'database answer-lost': 4,
      'backend terminated': 2,
      'network lost': 3,
      'network reset-after': 2,
      'network 429': 1,
      'network slow': 2,
    },
    say: () => undefined,
  });
  expect(summary.problems).toEqual([]);
  expect(summary.figures.arrivals).toBeGreaterThan(20);
  expect(Object.keys(summary.faults).length).toBeGreaterThan(3);
}, 600_000);

test('the same seed plans the same posts', () => {
  const takers = { text: ['x', 'threads'], thread: ['x'], picture: ['x'], video: ['x'], comment: ['x'] };
  const plan = (seed: string) =>
    Array.from({ length: 30 }, (_, number) => planPost(number, createStreams(seed)(`post ${number}`), takers));
  expect(plan('a')).toEqual(plan('a'));
  expect(plan('a')).not.toEqual(plan('b'));
});

test('a public text says which part of which post it is', () => {
  expect(readMarker('Soak post 12 part 3.')).toEqual({ number: 12, part: 'part 3' });
  expect(readMarker('Soak post 12 comment.')).toEqual({ number: 12, part: 'comment' });
  expect(readMarker('Hello')).toBeUndefined();
});

test('the figures of several runs add up', () => {
  const figures = { posts: 1, sends: 2 } as Parameters<typeof addSummaries>[0][number]['figures'];
  const one = {
    seeds: ['a'],
    minutes: 1,
    faults: { 'process kill': 1 },
    figures,
    needsHuman: {},
    problems: [],
    timeline: [],
  };
  expect(addSummaries([one, { ...one, seeds: ['b'], faults: { 'process kill': 2, 'database cut': 1 } }])).toMatchObject(
    {
      seeds: ['a', 'b'],
      minutes: 2,
      faults: { 'process kill': 3, 'database cut': 1 },
      figures: { posts: 2, sends: 4 },
    },
  );
});
