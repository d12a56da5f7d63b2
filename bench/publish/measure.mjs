// A thousand posts due in the same second, through the whole service and through a bare loop, on networks without latency.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { atPlace } from '../place.mjs';
import { cpuSeconds, messageFrom, startFile } from '../processes.mjs';
import { say, shuffled } from '../table.mjs';
import { report, valuesOf } from './report.mjs';

const figures = { due: 1_000, sizes: [1_000, 10_000, 100_000], aheadMs: 4_000 };
const blinkFigures = { due: 20, sizes: [20, 40], aheadMs: 1_000 };
/** The service has more code to warm up than the bare loop; both get the same number of rounds. */
const warmUps = 3;
/** CPU time is measured from this long before the due time, so that work a sender does in advance counts. */
const lookAheadMs = 200;

export const measure = ({ rounds = 9, blink, others = [] }) =>
  atPlace({ blink }, async (place) => {
    const { due, sizes, aheadMs } = blink ? blinkFigures : figures;
    const network = startFile('publish/network-process.mjs');
    const networkUrl = `http://127.0.0.1:${(await messageFrom(network)).port}`;
    const senders = [await startBare(place, networkUrl)];
    for (const [i, program] of [undefined, ...others].entries()) {
      const name = i === 0 ? 'Posthorn' : `Posthorn, build ${i + 1}`;
      senders.push(await startPosthorn(await place.apart({ SANDBOX_URL: networkUrl }), name, program));
    }
    const turn = { networkUrl, due, aheadMs };
    say('warming up …');
    for (let i = 0; i < (blink ? 0 : warmUps); i++) for (const sender of senders) await publish(sender, turn);
    const samples = new Map();
    for (const size of sizes) samples.set(size, await compare(senders, size, rounds, turn));
    for (const { db } of senders) await db.end();
    return { text: report({ samples, due, warmUps, rounds }), values: valuesOf(samples) };
  });

const connectTo = async (config) => {
  const db = new pg.Client(config);
  db.on('error', () => undefined); // the database stops under it when we are interrupted
  await db.connect();
  return db;
};

export const startBare = async ({ config }, networkUrl) => {
  const db = await connectTo(config);
  await db.query(
    `create table bare_posts (id text primary key, body text not null, due_at timestamptz, state text not null default 'due')`,
  );
  await db.query('create index bare_posts_due on bare_posts (due_at) where due_at is not null');
  const bare = startFile('publish/bare.mjs', { NETWORK_URL: networkUrl, DATABASE: JSON.stringify(config) });
  await messageFrom(bare);
  const clear = () => db.query('delete from bare_posts');
  return {
    name: 'bare loop',
    pid: bare.pid,
    db,
    rows: 'bare_posts',
    filled: ['bare_posts'],
    clear,
    fill: fillBare(db, bare),
  };
};

/** On a database of its own: two services on one would share the work. */
export const startPosthorn = async (place, name, program) => {
  const { pid, url } = await place.service(name, {}, program);
  const { workspaceId, userId } = await place.setUp();
  const { id: accountId } = await place.account(url, 'bluesky');
  const db = await connectTo(place.config);
  const clear = () => db.query('delete from posts');
  const fill = fillPosthorn(db, { workspaceId, userId, accountId });
  return { name, pid, url, place, db, rows: 'sends', filled: ['posts', 'sends'], clear, fill };
};

let batch = 0;

const compare = async (senders, size, rounds, turn) => {
  for (const { db, clear, fill } of senders) {
    await clear();
    // The other posts are due much later; they only make the table larger.
    await fill(size - turn.due, "clock_timestamp() + interval '20 days'");
    await db.query('vacuum analyze');
  }
  const seen = new Map(senders.map(({ name }) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    say(`${size} scheduled, round ${round} of ${rounds} …`);
    for (const sender of shuffled(senders)) seen.get(sender.name).push(await publish(sender, turn));
  }
  return seen;
};

export const publish = async (sender, { networkUrl, due, aheadMs }) => {
  const { db, fill, filled } = sender;
  const at = Date.now() + aheadMs;
  await fill(due, `to_timestamp(${at / 1000})`);
  const seen = await watch(sender, networkUrl, due, at);
  await db.query(`vacuum ${filled.join(', ')}`);
  await sleep(500);
  return seen;
};

const fillPosthorn =
  (db, { workspaceId, userId, accountId }) =>
  async (count, at) => {
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

const fillBare = (db, bare) => async (count, at) => {
  const name = `b${++batch}`;
  await db.query(
    `insert into bare_posts (id, body, due_at) select '${name}_' || i, '${name} number ' || i, ${at} from generate_series(1, $1::int) i`,
    [count],
  );
  bare.send('filled');
};

/** Waits until the network has received every post and the rows say so. */
const watch = async ({ name, db, pid, rows }, networkUrl, due, at) => {
  const times = [];
  const deadline = at + 180_000;
  await sleep(at - lookAheadMs - Date.now());
  const cpuBefore = cpuSeconds(pid);
  await sleep(at - Date.now());
  while (times.length < due) {
    if (Date.now() > deadline) throw new Error(`${name}: only ${times.length} of ${due} posts came`);
    await sleep(200);
    times.push(...Object.values(await (await fetch(`${networkUrl}/arrivals`)).json()));
  }
  const late = times.map((time) => time - at).toSorted((a, b) => a - b);
  if (late.length !== due) throw new Error(`${name}: ${late.length} posts came`);
  const inHand = `select from ${rows} where due_at < to_timestamp(${at / 1000}) + interval '1 hour'`;
  while ((await db.query(inHand)).rowCount > 0) {
    if (Date.now() > deadline) throw new Error(`${name}: not all rows were marked`);
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
