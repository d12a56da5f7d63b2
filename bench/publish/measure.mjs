// A thousand posts due in the same second, through the whole service and through a bare loop, on networks without latency.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { importCompiled } from '../compiled.mjs';
import { command, cpuSeconds, messageFrom, startFile, startService, stopAll } from '../processes.mjs';
import { median, spread, table } from '../table.mjs';

const figures = { due: 1_000, sizes: [1_000, 10_000, 100_000] };
const blinkFigures = { due: 20, sizes: [40] };
const cli = resolve(import.meta.dirname, '../../dist/cli.js');
/** Before the moment: whatever a sender does ahead of it counts. */
const lookAheadMs = 200;

export const measure = async ({ rounds = 5, blink }) => {
  const { due, sizes } = blink ? blinkFigures : figures;
  const dir = mkdtempSync(join(tmpdir(), 'posthorn-bench-'));
  const { startEmbedded } = await importCompiled('server/store/embedded.ts');
  const postgres = await startEmbedded(join(dir, 'database'));
  try {
    const rows = [];
    const values = [];
    const place = await prepare(dir, postgres.config);
    for (const size of sizes) {
      const seen = await compare({ ...place, due }, size, rounds);
      rows.push(...rowsOf(size, seen));
      values.push([`p99, ${size}`, median(seen.service.map(({ p99 }) => p99))]);
      values.push([`CPU a send, ${size}`, median(seen.service.map(({ cpuMs }) => cpuMs))]);
    }
    const titles = ['scheduled', 'what', 'lateness p50, ms', 'lateness p99, ms', 'earliest, ms', 'posts/s', 'ratio'];
    const text = [
      '## publish',
      '',
      `${due} posts to one account, due in the same second, while so many are scheduled. Lateness is from that moment until`,
      `the network has a post. The ratio is posts per second, 1.00 the bare loop of the same round; higher is faster. Median`,
      `[quartiles] of ${rounds} rounds. CPU time is that of the sending process with all its threads, until its last row is`,
      `done. Node ${process.version}.`,
      '',
      table([...titles, 'CPU ms a send'], rows),
      '',
    ].join('\n');
    await place.close();
    return { text, values: Object.fromEntries(values) };
  } finally {
    await stopAll();
    await postgres.stop();
    rmSync(dir, { recursive: true, force: true });
  }
};

const prepare = async (dir, config) => {
  const network = startFile('publish/network-process.mjs');
  const { port } = await messageFrom(network);
  const networkUrl = `http://127.0.0.1:${port}`;
  const { host, user, password, database } = config;
  const env = {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}`,
    SANDBOX_URL: networkUrl,
    POSTHORN_DATA: join(dir, 'data'),
  };
  const owner = ['--email', 'a@example.com', '--password', 'correct horse', '--workspace', 'Bench'];
  const { workspaceId, userId } = await command(cli, env, 'setup', ...owner);
  const { id: accountId } = await command(
    cli,
    env,
    'account',
    'add',
    '--workspace',
    workspaceId,
    '--network',
    'bluesky',
  );
  const db = new pg.Client(config);
  db.on('error', () => undefined);
  await db.connect();
  await db.query(
    `create table bare_posts (id text primary key, body text not null, due_at timestamptz, state text not null default 'due')`,
  );
  await db.query('create index bare_posts_due on bare_posts (due_at) where due_at is not null');
  const service = await startService(cli, env, join(dir, 'service.log'));
  const bare = startFile('publish/bare.mjs', { NETWORK_URL: networkUrl, DATABASE: JSON.stringify(config) });
  await messageFrom(bare);
  const senders = {
    bare: { pid: bare.pid, table: 'bare_posts' },
    service: { pid: service.pid, table: 'sends' },
  };
  return { db, networkUrl, workspaceId, userId, accountId, senders, close: () => db.end() };
};

let batch = 0;

const compare = async (place, size, rounds) => {
  const { db, due } = place;
  await db.query(`delete from posts`);
  await db.query(`delete from bare_posts`);
  // The others are due much later, and only stand in the way.
  await fillService(place, size - due, "clock_timestamp() + interval '20 days'");
  await fillBare(place, size - due, "clock_timestamp() + interval '20 days'");
  await db.query('vacuum analyze');
  const seen = { bare: [], service: [] };
  for (let round = 0; round < rounds; round++) {
    for (const [what, fill] of [
      ['bare', fillBare],
      ['service', fillService],
    ]) {
      const at = Date.now() + 4_000;
      await fill(place, due, `to_timestamp(${at / 1000})`);
      seen[what].push(await watch(place, place.senders[what], at));
      await db.query('vacuum posts, sends, bare_posts');
      await sleep(500);
    }
  }
  return seen;
};

const rowsOf = (size, seen) => {
  const each = (what, pick) => seen[what].map(pick);
  const ratios = each('service', ({ perSecond }, i) => perSecond / seen.bare[i].perSecond);
  return [
    ['bare loop', 'bare', '1.00'],
    ['Posthorn', 'service', inWords(ratios, 2)],
  ].map(([name, what, ratio]) => [
    String(size),
    name,
    inWords(each(what, ({ p50 }) => p50)),
    inWords(each(what, ({ p99 }) => p99)),
    String(Math.min(...each(what, ({ earliest }) => earliest))),
    inWords(each(what, ({ perSecond }) => perSecond)),
    ratio,
    cpuSeconds(process.pid) === undefined
      ? ''
      : inWords(
          seen[what].map(({ cpuMs }) => cpuMs),
          2,
        ),
  ]);
};

const inWords = (values, digits = 0) => {
  const { low, middle, high } = spread(values);
  return `${middle.toFixed(digits)} [${low.toFixed(digits)}–${high.toFixed(digits)}]`;
};

const fillService = async ({ db, workspaceId, userId, accountId }, count, at) => {
  const name = `b${++batch}`;
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, scheduled_at, created_by)
     select 'post_${name}_' || i, $1, 'Scheduled', array[$2], jsonb_build_array(jsonb_build_object(
              'content', jsonb_build_array(jsonb_build_object('body', '${name} number ' || i, 'media', '[]'::jsonb)),
              'options', '{}'::jsonb)), ${at}, $3
       from generate_series(1, $4::int) i`,
    [workspaceId, accountId, userId, count],
  );
  await db.query(`select pg_notify('posthorn_due', 'posts')`);
};

const fillBare = ({ db }, count, at) => {
  const name = `b${++batch}`;
  return db.query(
    `insert into bare_posts (id, body, due_at) select '${name}_' || i, '${name} number ' || i, ${at} from generate_series(1, $1::int) i`,
    [count],
  );
};

/** Until the network has all of them, and their rows say so. */
const watch = async ({ db, networkUrl, due }, { pid, table: rows }, at) => {
  const times = [];
  const deadline = at + 60_000;
  await sleep(at - lookAheadMs - Date.now());
  const cpuBefore = cpuSeconds(pid);
  await sleep(at - Date.now());
  while (times.length < due) {
    if (Date.now() > deadline) throw new Error(`only ${times.length} of ${due} posts came`);
    await sleep(200);
    times.push(...Object.values(await (await fetch(`${networkUrl}/arrivals`)).json()));
  }
  const late = times.map((time) => time - at).toSorted((a, b) => a - b);
  if (late.length !== due) throw new Error(`${late.length} posts came`);
  const inHand = `select from ${rows} where due_at < to_timestamp(${at / 1000}) + interval '1 hour'`;
  while ((await db.query(inHand)).rowCount > 0) {
    if (Date.now() > deadline) throw new Error(`not all rows of ${rows} were marked`);
    await sleep(50);
  }
  const cpuAfter = cpuSeconds(pid);
  return {
    p50: late[due / 2],
    p99: late[Math.floor(due * 0.99)],
    earliest: late[0],
    perSecond: (due * 1000) / late.at(-1),
    cpuMs: cpuBefore === undefined ? undefined : ((cpuAfter - cpuBefore) * 1000) / due,
  };
};
