// One database that grows tenfold: frequent requests should take the same time at each size. With --full it grows to a
// million posts and ten million deliveries; --posts, --workspaces and --deliveries choose any other size.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { callOf } from '../call-actions.mjs';
import { importCompiled } from '../compiled.mjs';
import { atPlace } from '../place.mjs';
import { cpuSeconds } from '../processes.mjs';
import { storeDatabase } from '../store-database.mjs';
import { ratio, say, shuffled, spread, table } from '../table.mjs';
import { fill, makeDue, range, webhookId, workspaceId } from './fill.mjs';

const usual = { posts: 100_000, workspaces: 100, deliveries: 1_000_000 };
const fullSize = { posts: 1_000_000, workspaces: 1_000, deliveries: 10_000_000 };
const blinkSize = { posts: 200, workspaces: 20, deliveries: 400 };
const shares = [0.01, 0.1, 1];
const leastWorkspaces = 10;
const roundsAtEach = 25;
const warmUps = 8;
const rateMs = 4_000;
const callers = 16;
const keptMs = 365 * 24 * 3_600_000;

export const measure = ({ rounds = roundsAtEach, blink, full, posts, workspaces, deliveries }) =>
  atPlace({ blink }, async (all) => {
    const place = await all.apart();
    const chosen = { ...(full ? fullSize : usual), ...defined({ posts, workspaces, deliveries }) };
    const size = blink ? blinkSize : chosen;
    const ends = shares.map((share) => Math.max(Math.round(size.workspaces * share), leastWorkspaces));
    // A web instance claims nothing, so all due work is left for us.
    const service = await place.service('Posthorn', { POSTHORN_ROLE: 'web' });
    const { userId } = await place.setUp();
    const db = new pg.Client(place.config);
    db.on('error', () => undefined);
    await db.connect();
    const sizes = [];
    let first = 0;
    for (const end of new Set(ends)) {
      const each = {
        posts: Math.ceil(size.posts / size.workspaces),
        deliveries: Math.ceil(size.deliveries / size.workspaces),
      };
      const begunMs = performance.now();
      await fill(db, userId, { first, end, ...each }, say);
      if (first === 0) await makeDue(db);
      await db.query('vacuum analyze');
      await db.query('checkpoint');
      const { token } = await place.command('token', 'create', '--workspace', workspaceId(end - 1), '--name', 'Bench');
      const work = await workIn(end - 1);
      say(`measuring ${end} workspaces after ${Math.round((performance.now() - begunMs) / 1000)} s of filling …`);
      for (let i = 0; i < (blink ? 0 : warmUps); i++) await sample(db, work);
      const took = [];
      for (let round = 0; round < rounds; round++) took.push(await sample(db, work));
      const pages = {};
      for (const [name, run] of Object.entries(work)) pages[name] = await pagesOf(db, run);
      const rates = await ratesOf(callOf(service.url, token), service.pid, blink ? 20 : rateMs);
      const { rows } = await db.query('select pg_size_pretty(pg_database_size(current_database())) as bytes');
      sizes.push({
        posts: end * each.posts,
        deliveries: end * each.deliveries,
        bytes: rows[0].bytes,
        took,
        pages,
        rates,
      });
      first = end;
    }
    if (process.stderr.isTTY) say('');
    await db.end();
    return { text: report(sizes), values: {} };
  });

const defined = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

/** The service's own statements, run through its own stores. */
const workIn = async (number) => {
  const { createDeliveryStore } = await importCompiled('server/messaging/webhooks/store.ts');
  const { createSendingStore } = await importCompiled('server/delivery/publishing/sending-store.ts');
  const { createDuePostStore } = await importCompiled('server/delivery/publishing/due-post-store.ts');
  const { createReadingStore } = await importCompiled('server/writing/posts/reading-store.ts');
  const { createAnalyticsStore } = await importCompiled('server/delivery/analytics/store.ts');
  const { offsetPeriodsOf } = await importCompiled('server/delivery/analytics/time-zone.ts');
  const { from, to, timeZone } = range;
  const periods = offsetPeriodsOf(from, to, timeZone);
  const rooms = new Map(['x', 'bluesky'].map((network) => [network, 50]));
  return {
    'claim deliveries': (db) => createDeliveryStore(db).claim(100, randomUUID(), 30_000, [], 8),
    'claim sends': (db) => createSendingStore(db).claim(rooms, new Set(), 60_000),
    'due posts': (db) => createDuePostStore(db).due(100, 86_400_000),
    'posts.list': (db) =>
      createReadingStore(db).list(workspaceId(number), { limit: 50, maxBytes: 1e6 }, null, everyPost),
    'delivery log': (db) => createDeliveryStore(db).list(workspaceId(number), webhookId(number), 50, keptMs),
    summary: (db) => createAnalyticsStore(db).summarize(workspaceId(number), { from, to, accountIds: [] }, periods),
  };
};

const everyPost = { query: '', from: null, to: null, label: '', ids: null };

/** Rolls back, so that claimed rows become available again. */
const undone = async (db, work) => {
  await db.query('begin');
  try {
    return await work();
  } finally {
    await db.query('rollback');
  }
};

/** How many 8 kB pages a statement reads, from memory or disk. Unlike time, it does not depend on machine load. */
const pagesOf = async (db, run) => {
  let pages = 0;
  const explain = async ({ text, values }) => {
    const { rows } = await db.query(`explain (analyze, buffers, format json) ${text}`, values);
    const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
    pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
    // Some statements expect one row, so return an empty one.
    return [{}];
  };
  const store = await storeDatabase(explain);
  await undone(db, () => run(store)).catch((error) =>
    assert.ok(error instanceof TypeError || error instanceof SyntaxError, error),
  );
  return pages;
};

/** As a multiple of a statement that reads no table, at the same moment. */
const sample = async (db, work) => {
  const store = await storeDatabase(async (query) => (await db.query(query)).rows);
  const took = {};
  for (const name of shuffled(Object.keys(work))) {
    const bareMs = await timed(() => db.query('select count(*) from generate_series(1, 20000)'));
    took[name] = (await timed(() => undone(db, () => work[name](store)))) / bareMs;
  }
  return took;
};

const timed = async (work) => {
  const begunMs = performance.now();
  await work();
  return performance.now() - begunMs;
};

/** Responses per CPU second of the service with several concurrent callers: the maximum that one core can serve. */
const ratesOf = async (call, pid, forMs) => {
  const { posts } = await call('posts.list', { limit: 50 });
  const asked = {
    'posts.get': (turn) => call('posts.get', { id: posts[turn % posts.length].id }),
    'posts.list (50)': () => call('posts.list', { limit: 50 }),
    'posts.create': (turn) => call('posts.create', { body: `A draft, number ${turn}.` }),
  };
  const rates = {};
  for (const [name, ask] of Object.entries(asked)) {
    const begunMs = performance.now();
    const cpuBefore = cpuSeconds(pid);
    let answers = 0;
    const keepAsking = async () => {
      while (performance.now() - begunMs < forMs) await ask(answers++);
    };
    await Promise.all(Array.from({ length: callers }, keepAsking));
    rates[name] = answers / (cpuSeconds(pid) - cpuBefore);
  }
  return rates;
};

const report = (sizes) => {
  const [smallest] = sizes;
  const names = Object.keys(smallest.pages);
  const counted = (number) => number.toLocaleString('en');
  const rows = sizes.map(({ posts, deliveries, bytes, took, pages }) => [
    counted(posts),
    counted(deliveries),
    bytes,
    ...names.map((name) => {
      const first = spread(smallest.took.map((one) => one[name])).middle;
      return `${counted(pages[name])}; ${took === smallest.took ? '1.00' : ratio(took.map((one) => one[name] / first))}`;
    }),
  ]);
  const rateRows = sizes.map(({ posts, rates }) => [
    counted(posts),
    ...Object.values(rates).map((rate) => rate.toFixed(0)),
  ]);
  return [
    '## capacity',
    '',
    'Pages of 8 kB that a statement touches, then its time as a multiple of that at the smallest size, median [quartiles]; each',
    'time is taken as a multiple of a statement that reads no table, at the same moment. What is due, and the posts and',
    `deliveries of a workspace, are as many at every size. Node ${process.version}, PostgreSQL on the same machine.`,
    '',
    table(['posts', 'deliveries', 'on disk', ...names], rows),
    '',
    `Answers of one process in a second of its CPU time, to ${callers} callers on the same machine:`,
    '',
    table(['posts', ...Object.keys(smallest.rates)], rateRows),
    '',
  ].join('\n');
};
