// analytics.summary over 400 days beside the leanest SQL for its totals, and first pages beside those of a small workspace.
import assert from 'node:assert/strict';
import pg from 'pg';
import { atPlace } from '../place.mjs';
import { median, ratio, say, shuffled, table } from '../table.mjs';
import { asking, retryWhenBusy, timed } from './ask.mjs';
import { leanest, withPublishedPosts } from './leanest.mjs';
import { accountIdsOf, fillWorkspace, range } from './workspace.mjs';

/** How many published targets, and how many calls make a sample that is long enough to be timed. */
const sizes = [
  { targets: 10_000, calls: 20 },
  { targets: 100_000, calls: 4 },
  { targets: 1_000_000, calls: 1 },
];
const blinkSizes = [
  { targets: 100, calls: 1 },
  { targets: 1_000, calls: 1 },
];
const pageCalls = 40;
const chosenAccounts = 5;
const counted = [
  'leanest',
  'with published_posts',
  'summary',
  'leanest of chosen',
  'leanest of chosen over HTTP',
  'summary of chosen',
];

/** `targets` is the largest size that is filled. */
export const measure = ({ rounds = 9, targets: largest = Number.POSITIVE_INFINITY, blink }) =>
  atPlace({ blink }, async (place) => {
    const measured = (blink ? blinkSizes : sizes).filter(({ targets }) => targets <= largest);
    const service = await place.service('Posthorn');
    const { userId } = await place.setUp();
    const db = new pg.Client(place.config);
    db.on('error', () => undefined); // the database stops under it when we are interrupted
    await db.connect();
    const bare = await place.contender('bare', 'analytics/bare.mjs');
    const workspaces = [];
    for (const size of measured) {
      say(`publishing to ${size.targets} targets …`);
      const id = `ws_${size.targets}`;
      await fillWorkspace(db, id, userId, size.targets);
      const { token } = await place.command('token', 'create', '--workspace', id, '--name', 'Bench');
      workspaces.push({ ...size, id, call: callOf(service.url, token), bare: asking(bare.url) });
    }
    await db.query('vacuum analyze');

    say('warming up …');
    const entered = [];
    for (const workspace of workspaces)
      entered.push({ ...workspace, work: await retryWhenBusy(() => workFor(db, workspace)) });
    const samples = [];
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds} …`);
      samples.push(await sample(entered));
    }
    if (process.stderr.isTTY) say('');
    await db.end();
    return { text: report(samples, measured), values: valuesOf(samples, measured) };
  });

const callOf = (url, token) => {
  const ask = asking(`${url}/api/agent/tools/`, { authorization: `Bearer ${token}` });
  return (action, input) => ask(input, action);
};

/** The calls to time for a workspace. Checks that calls for the same totals agree, which also warms all of them up. */
const workFor = async (db, { id, call, bare, calls }) => {
  const values = [id, range.from, range.to];
  const { posts: page } = await call('posts.list', {});
  const accountIds = accountIdsOf(id).slice(0, chosenAccounts);
  const work = {
    leanest: await leanest(db, values),
    'with published_posts': withPublishedPosts(db, values),
    summary: () => call('analytics.summary', range),
    'leanest of chosen': await leanest(db, [...values, accountIds]),
    'leanest of chosen over HTTP': async () => (await bare([...values, accountIds])).totals,
    'summary of chosen': () => call('analytics.summary', { ...range, accountIds }),
    list: () => call('posts.list', {}),
    metrics: () => call('posts.metrics', { id: page[0].id }),
  };
  for (const [sql, action] of [
    ['leanest', 'summary'],
    ['with published_posts', 'summary'],
    ['leanest of chosen', 'summary of chosen'],
    ['leanest of chosen over HTTP', 'summary of chosen'],
  ]) {
    const { engagement: _, ...totals } = (await work[action]()).totals;
    assert.deepEqual(await work[sql](), totals, sql);
  }
  // PostgreSQL chooses a plan for a prepared statement at its sixth call on a connection, so warm up every connection.
  for (const name of ['summary', 'summary of chosen'])
    await Promise.all(Array.from({ length: 24 }, () => retryWhenBusy(work[name])));
  for (let i = 0; i < 2 * calls; i++) for (const name of Object.keys(work)) await work[name]();
  return work;
};

/** Milliseconds a call, by the number of targets and what was called. */
const sample = async (entered) => {
  const took = {};
  for (const { targets, calls, work } of shuffled(entered)) {
    took[targets] = {};
    for (const name of shuffled(counted)) {
      took[targets][name] = await timed(work[name], calls);
    }
  }
  for (const name of ['list', 'metrics']) {
    for (const { targets, work } of shuffled(entered)) took[targets][name] = await timed(work[name], pageCalls);
  }
  return took;
};

const valuesOf = (samples, sizes) =>
  Object.fromEntries(
    sizes.map(({ targets }) => [
      `chosen accounts, ${targets}`,
      median(samples.map((took) => took[targets]['summary of chosen'] / took[targets]['leanest of chosen'])),
    ]),
  );

const report = (samples, sizes) => {
  const [{ targets: smallest }] = sizes;
  const against = (what, targets, base, baseTargets = targets) =>
    ratio(samples.map((took) => took[targets][what] / took[baseTargets][base]));
  const rows = sizes.map(({ targets }) => [
    String(targets),
    against('summary', targets, 'leanest'),
    against('summary of chosen', targets, 'leanest of chosen'),
    against('summary of chosen', targets, 'leanest of chosen over HTTP'),
    against('leanest of chosen over HTTP', targets, 'leanest of chosen'),
    against('summary', targets, 'with published_posts'),
    targets === smallest ? '' : against('summary', targets, 'summary', targets / 10),
    targets === smallest ? '1.00' : against('list', targets, 'list', smallest),
    targets === smallest ? '1.00' : against('metrics', targets, 'metrics', smallest),
  ]);
  const head = [
    'published targets',
    'summary',
    `${chosenAccounts} of 20 accounts`,
    'both over HTTP',
    'HTTP alone',
    'to published_posts',
    'to a tenth',
  ];
  return [
    '## analytics',
    '',
    'Times, so lower is faster: analytics.summary over HTTP as a multiple of the leanest SQL for its totals alone, for all and',
    'for some accounts, there also of a bare server that answers with that SQL over HTTP, whose answer as a multiple of the SQL',
    'is the next column; as a multiple of SQL that may use published_posts, and of itself with a tenth of the targets; first',
    'pages as a multiple of those of the smallest workspace. Median [quartiles] of the ratios within',
    `each round. ${samples.length} rounds in random order, one call at a time, Node ${process.version}, PostgreSQL on the same machine.`,
    '',
    table([...head, 'posts.list', 'posts.metrics'], rows),
    '',
  ].join('\n');
};
