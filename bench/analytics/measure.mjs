// analytics.summary over 400 days beside the leanest SQL for its totals, and first pages beside those of a small workspace.
import assert from 'node:assert/strict';
import pg from 'pg';
import { atPlace } from '../place.mjs';
import { ratio, say, shuffled, table } from '../table.mjs';
import { leanest, withPublishedPosts } from './leanest.mjs';
import { fillWorkspace, range } from './workspace.mjs';

/** How many published targets, and how many calls make a sample that is long enough to be timed. */
const sizes = [
  { targets: 10_000, calls: 20 },
  { targets: 100_000, calls: 4 },
  { targets: 1_000_000, calls: 1 },
];
const pageCalls = 40;

export const measure = ({ rounds = 9 }) =>
  atPlace(async (place) => {
    const service = await place.service('Posthorn');
    const { userId } = await place.setUp();
    const db = new pg.Client(place.config);
    db.on('error', () => undefined); // the database stops under it when we are interrupted
    await db.connect();
    const workspaces = [];
    for (const size of sizes) {
      say(`publishing to ${size.targets} targets …`);
      const id = `ws_${size.targets}`;
      await fillWorkspace(db, id, userId, size.targets);
      const { token } = await place.command('token', 'create', '--workspace', id, '--name', 'Bench');
      workspaces.push({ ...size, id, call: callOf(service.url, token) });
    }
    await db.query('vacuum analyze');

    say('warming up …');
    const entered = [];
    for (const workspace of workspaces) entered.push({ ...workspace, work: await workFor(db, workspace) });
    const samples = [];
    for (let round = 1; round <= rounds; round++) {
      say(`round ${round} of ${rounds} …`);
      samples.push(await sample(entered));
    }
    if (process.stderr.isTTY) say('');
    await db.end();
    console.log(report(samples));
  });

const callOf = (url, token) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  return async (action, input) => {
    const answer = await fetch(`${url}/api/agent/tools/${action}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(input),
    });
    const content = await answer.json();
    assert.equal(answer.status, 200, `${action}: ${JSON.stringify(content)}`);
    return content;
  };
};

/** What is timed for a workspace. All that tell totals tell the same, and do so often enough to be warm. */
const workFor = async (db, { id, call, calls }) => {
  const values = [id, range.from, range.to];
  const { posts: page } = await call('posts.list', {});
  const summary = () => call('analytics.summary', range);
  const work = {
    leanest: await leanest(db, values),
    'with published_posts': withPublishedPosts(db, values),
    summary,
    list: () => call('posts.list', {}),
    metrics: () => call('posts.metrics', { id: page[0].id }),
  };
  // Each of the service's connections makes up its mind about a prepared statement at the sixth call.
  await Promise.all(Array.from({ length: 24 }, summary));
  const { engagement: _, ...totals } = (await summary()).totals;
  for (const name of ['leanest', 'with published_posts']) assert.deepEqual(await work[name](), totals, name);
  for (let i = 0; i < 2 * calls; i++) for (const name of Object.keys(work)) await work[name]();
  return work;
};

/** Milliseconds a call, by the number of targets and what was called. */
const sample = async (entered) => {
  const took = {};
  for (const { targets, calls, work } of shuffled(entered)) {
    took[targets] = {};
    for (const name of shuffled(['leanest', 'with published_posts', 'summary'])) {
      took[targets][name] = await timed(work[name], calls);
    }
  }
  for (const name of ['list', 'metrics']) {
    for (const { targets, work } of shuffled(entered)) took[targets][name] = await timed(work[name], pageCalls);
  }
  return took;
};

const timed = async (work, calls) => {
  const begun = performance.now();
  for (let i = 0; i < calls; i++) await work();
  return (performance.now() - begun) / calls;
};

const report = (samples) => {
  const [{ targets: smallest }] = sizes;
  const against = (what, targets, base, baseTargets = targets) =>
    ratio(samples.map((took) => took[targets][what] / took[baseTargets][base]));
  const rows = sizes.map(({ targets }) => [
    String(targets),
    against('summary', targets, 'leanest'),
    against('summary', targets, 'with published_posts'),
    targets === smallest ? '' : against('summary', targets, 'summary', targets / 10),
    targets === smallest ? '1.00' : against('list', targets, 'list', smallest),
    targets === smallest ? '1.00' : against('metrics', targets, 'metrics', smallest),
  ]);
  const head = ['published targets', 'summary : leanest SQL', 'summary : SQL with published_posts'];
  return [
    '## analytics',
    '',
    'Times, so lower is faster: analytics.summary over HTTP as a multiple of SQL for its totals alone; of itself with a tenth',
    'of the targets; and first pages as a multiple of those of the smallest workspace. Median [quartiles] of the ratios within',
    `each round. ${samples.length} rounds in random order, one call at a time, Node ${process.version}, PostgreSQL on the same machine.`,
    '',
    table([...head, 'ten times as many', 'posts.list', 'posts.metrics'], rows),
    '',
  ].join('\n');
};
