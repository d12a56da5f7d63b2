// One database that grows to --posts posts in --workspaces workspaces and --deliveries deliveries: what is asked all the time
// should take as long at each size.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { importCompiled } from '../compiled.mjs';
import { atPlace } from '../place.mjs';
import { ratio, say, shuffled, spread, table } from '../table.mjs';
import { fill, makeDue, range, webhookId, workspaceId } from './fill.mjs';

const whole = { posts: 1_000_000, workspaces: 1_000, deliveries: 10_000_000 };
const blinkWhole = { posts: 2_000, workspaces: 100, deliveries: 4_000 };
const shares = [0.01, 0.1, 1];
const blinkShares = [0.1, 1];
const leastWorkspaces = 10;
const roundsAtEach = 15;
const rateMs = 4_000;
const callers = 16;
const keptMs = 365 * 24 * 3_600_000;

export const measure = ({ rounds = roundsAtEach, blink, posts, workspaces, deliveries }) =>
  atPlace(async (place) => {
    const size = blink ? blinkWhole : { ...whole, ...defined({ posts, workspaces, deliveries }) };
    // It claims nothing, so that what is due is there for us.
    const service = await place.service('Posthorn', { POSTHORN_ROLE: 'web' });
    const { userId } = await place.setUp();
    const db = new pg.Client(place.config);
    db.on('error', () => undefined);
    await db.connect();
    const sizes = [];
    let first = 0;
    for (const share of blink ? blinkShares : shares) {
      const end = Math.max(Math.round(size.workspaces * share), leastWorkspaces);
      const each = {
        posts: Math.ceil(size.posts / size.workspaces),
        deliveries: Math.ceil(size.deliveries / size.workspaces),
      };
      const begunMs = performance.now();
      await fill(db, userId, { first, end, ...each }, say);
      if (first === 0) await makeDue(db);
      await db.query('vacuum analyze');
      const { token } = await place.command('token', 'create', '--workspace', workspaceId(end - 1), '--name', 'Bench');
      const work = await workIn(db, end - 1, callOf(service.url, token));
      say(`measuring ${end} workspaces after ${Math.round((performance.now() - begunMs) / 1000)} s of filling …`);
      const took = [];
      for (const run of Object.values(work)) for (let i = 0; i < 8; i++) await run();
      for (let round = 0; round < rounds; round++) took.push(await sample(work));
      const { rows } = await db.query(`select pg_size_pretty(pg_database_size(current_database())) as bytes`);
      sizes.push({
        rates: await ratesOf(callOf(service.url, token), blink ? 200 : rateMs),
        names: Object.keys(work),
        posts: end * each.posts,
        deliveries: end * each.deliveries,
        bytes: rows[0].bytes,
        took,
      });
      first = end;
    }
    if (process.stderr.isTTY) say('');
    await db.end();
    console.log(report(sizes));
  });

const defined = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const callOf = (url, token) => async (action, input) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/agent/tools/${action}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(input),
  });
  const content = await answer.json();
  assert.equal(answer.status, 200, `${action}: ${JSON.stringify(content)}`);
  return content;
};

/** The service's own statements, and its own door where there is one. */
const workIn = async (db, number, call) => {
  const query = async ({ name, text }, values = []) => (await db.query({ name, text, values })).rows;
  const store = { query, late: query, run: async (statement, values) => (await query(statement, values)).length };
  const { createDeliveryStore } = await importCompiled('server/webhooks/store.ts');
  const { createPublishingStore } = await importCompiled('server/publishing/store.ts');
  const deliveries = createDeliveryStore(store);
  const publishing = createPublishingStore(store);
  const undone = async (work) => {
    await db.query('begin');
    const rows = await work();
    await db.query('rollback');
    return rows;
  };
  const work = {
    'claim deliveries': () => undone(() => deliveries.claim(100, randomUUID(), 30_000, [], 8)),
    'claim sends': () =>
      undone(() =>
        publishing.claim(
          new Map([
            ['x', 50],
            ['bluesky', 50],
          ]),
          randomUUID(),
          60_000,
        ),
      ),
    'due posts': () => undone(() => publishing.due(100, 86_400_000)),
    'posts.list': () => call('posts.list', { limit: 50 }),
    'delivery log': () => deliveries.list(webhookId(number), 50, keptMs),
    summary: () => call('analytics.summary', range),
  };
  assert.ok((await work['claim deliveries']()).length > 50);
  assert.ok((await work['claim sends']()).length > 0);
  assert.equal((await work['posts.list']()).posts.length > 0, true);
  assert.ok((await work['delivery log']()).length > 0);
  assert.ok((await work.summary()).totals.posts > 0);
  return work;
};

const sample = async (work) => {
  const took = {};
  for (const name of shuffled(Object.keys(work))) {
    const begunMs = performance.now();
    await work[name]();
    took[name] = performance.now() - begunMs;
  }
  return took;
};

/** Answers a second of one process, asked by several callers at once. */
const ratesOf = async (call, forMs) => {
  const { posts } = await call('posts.list', { limit: 50 });
  const asked = {
    'posts.get': (turn) => call('posts.get', { id: posts[turn % posts.length].id }),
    'posts.list (50)': () => call('posts.list', { limit: 50 }),
    'posts.create': (turn) => call('posts.create', { body: `A draft, number ${turn}.` }),
  };
  const rates = {};
  for (const [name, ask] of Object.entries(asked)) {
    const begunMs = performance.now();
    let answers = 0;
    const keepAsking = async () => {
      while (performance.now() - begunMs < forMs) await ask(answers++);
    };
    await Promise.all(Array.from({ length: callers }, keepAsking));
    rates[name] = (answers * 1000) / (performance.now() - begunMs);
  }
  return rates;
};

const report = (sizes) => {
  const [smallest] = sizes;
  const { names } = smallest;
  const middle = (took, name) => spread(took.map((one) => one[name])).middle;
  const rows = sizes.map(({ posts, deliveries, bytes, took }) => [
    posts.toLocaleString('en'),
    deliveries.toLocaleString('en'),
    bytes,
    ...names.map((name) =>
      took === smallest.took
        ? `${middle(took, name).toFixed(1)} ms`
        : ratio(took.map((one) => one[name] / middle(smallest.took, name))),
    ),
  ]);
  return [
    '## capacity',
    '',
    'The first row is in milliseconds, the others as multiples of it, median [quartiles]: what is due, and the posts and',
    'deliveries of a workspace, are as many at every size. One call at a time,',
    `Node ${process.version}, PostgreSQL on the same machine.`,
    '',
    table(['posts', 'deliveries', 'on disk', ...names], rows),
    '',
    `Answers a second of one process, to ${callers} callers on the same machine:`,
    '',
    table(
      ['posts', ...Object.keys(smallest.rates)],
      sizes.map(({ posts, rates }) => [
        posts.toLocaleString('en'),
        ...Object.values(rates).map((rate) => rate.toFixed(0)),
      ]),
    ),
    '',
  ].join('\n');
};
