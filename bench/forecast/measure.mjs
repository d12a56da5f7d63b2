// One changed post among few and among many scheduled posts, and a check of all of them when their account is disconnected.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { atPlace } from '../place.mjs';
import { cpuSeconds } from '../processes.mjs';
import { say, spread, table } from '../table.mjs';

const sizes = [1_000, 100_000];
const days = 30;
const quietMs = 1500;
const pollMs = 50;
const requestEveryMs = 20;
const account = 'acct_bench';

export const measure = ({ rounds = 7, posts, blink }) =>
  atPlace({ blink }, async (shared) => {
    const rows = [];
    const values = {};
    for (const size of blink ? [20] : [sizes[0], posts ?? sizes[1]]) {
      // With --blink nothing has to be undisturbed.
      const place = blink ? shared : await shared.apart();
      const measured = await measureSize(
        place,
        size,
        blink ? { warmUps: 1, rounds: 1, pauseMs: 100 } : { warmUps: 5, rounds, pauseMs: quietMs },
      );
      rows.push(rowOf(size, measured));
      values[`one post, ${size}`] = measured.one.middle * 1000;
      values[`check, ${size}`] = measured.whole.seconds;
      values[`slowest, ${size}`] = measured.whole.slowestMs;
    }
    if (process.stderr.isTTY) say('');
    return { text: report(rows, rounds), values };
  });

const measureSize = async (place, size, { warmUps, rounds, pauseMs }) => {
  const { workspaceId } = await place.setUp();
  const service = await place.service('Posthorn');
  const db = new pg.Client(place.config);
  db.on('error', () => undefined); // the database stops under it when we are interrupted
  await db.connect();
  const all = { db, service, workspaceId, size };
  await fill(all);
  say(`${size} posts, the first check …`);
  const first = await wholeCheck(all, { disconnected: false });
  for (let round = 0; round < warmUps; round++) await changedPost(all, pauseMs);
  const one = [];
  for (let round = 1; round <= rounds; round++) {
    say(`${size} posts, changed post ${round} of ${rounds} …`);
    one.push(await changedPost(all, pauseMs));
  }
  say(`${size} posts, their account is disconnected …`);
  const whole = await wholeCheck(all, { disconnected: true });
  const { rows: left } = await db.query(
    `select 1 from posts p left join forecasts f on f.workspace_id = p.workspace_id and f.post_id = p.id
      where p.workspace_id = $1 and p.status = 'Scheduled' and f.entries @> '[{"code": "disconnected"}]' is not true limit 1`,
    [workspaceId],
  );
  assert.equal(left.length, 0, 'a post still has its old forecast');
  await db.end();
  return { first, one: spread(one), whole };
};

/** Scheduled over the next days, no two in one minute unless there are more posts than minutes. */
const fill = async ({ db, workspaceId, size }) => {
  // Nothing is published, so it needs no tokens.
  await db.query(
    `insert into accounts (id, workspace_id, network, external_id, name, handle, sandbox)
     values ($2, $1, 'mastodon', 'bench', 'Name', 'handle', true)`,
    [workspaceId, account],
  );
  await db.query(
    `insert into posts (id, workspace_id, status, account_ids, versions, created_by, scheduled_at)
     select 'post_01' || lpad(upper(to_hex(i)), 8, '0') || upper(substr(md5($1 || i), 1, 16)), $1, 'Scheduled', array[$2],
            jsonb_build_array(jsonb_build_object('options', '{}'::jsonb, 'content', jsonb_build_array(
              jsonb_build_object('body', repeat('A text of some length. ', 7) || i, 'media', '[]'::jsonb)))), 'bench',
            date_trunc('minute', now()) + interval '1 day' + i * $3::interval / $4
       from generate_series(1, $4::int) as i`,
    [workspaceId, account, `${days - 2} days`, size],
  );
  await db.query('vacuum analyze posts');
};

/** As the service tells itself of a change. */
const announce = async (db, workspaceId, kind, id) => {
  const eventId = randomUUID();
  await db.query(`select pg_notify('posthorn_live', $1)`, [JSON.stringify({ eventId, workspaceId, kind, id })]);
  return eventId;
};

/** CPU seconds of the service until the forecast of one changed post is there and nothing else is under way. */
const changedPost = async ({ db, service, workspaceId }, pauseMs) => {
  await sleep(pauseMs);
  const begun = cpuSeconds(service.pid);
  const { rows } = await db.query(
    `update posts set updated_at = clock_timestamp() where workspace_id = $1 and id = (
       select id from posts where workspace_id = $1 and status = 'Scheduled' order by random() limit 1) returning id`,
    [workspaceId],
  );
  await announce(db, workspaceId, 'post', rows[0].id);
  const judged = `select 1 from forecasts f join posts p on p.workspace_id = f.workspace_id and p.id = f.post_id
                   where f.workspace_id = $1 and f.post_id = $2 and f.updated_at = p.updated_at`;
  while ((await db.query(judged, [workspaceId, rows[0].id])).rowCount === 0) await sleep(pollMs);
  await sleep(pauseMs);
  return cpuSeconds(service.pid) - begun;
};

/** A check of all posts, beside requests that tell how long the event loop is held: none is answered meanwhile. */
const wholeCheck = async ({ db, service, workspaceId }, { disconnected }) => {
  // A check that was under way ends first.
  const ended =
    'select 1 from forecast_checks where workspace_id = $1 and request = $2 and started_request = $2 and started_at is null';
  const cpuBefore = cpuSeconds(service.pid);
  const startedMs = performance.now();
  if (disconnected) {
    await db.query('update accounts set disconnected_at = now() where id = $1', [account]);
  }
  const request = await announce(db, workspaceId, 'account', account);
  const times = [];
  let isOver = false;
  const requests = (async () => {
    while (!isOver) {
      const askedMs = performance.now();
      await (await fetch(`${service.url}/healthz`)).text();
      times.push(performance.now() - askedMs);
      await sleep(requestEveryMs);
    }
  })();
  while ((await db.query(ended, [workspaceId, request])).rowCount === 0) await sleep(pollMs);
  isOver = true;
  await requests;
  const sorted = times.toSorted((a, b) => a - b);
  return {
    seconds: (performance.now() - startedMs) / 1000,
    cpu: cpuSeconds(service.pid) - cpuBefore,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)],
    slowestMs: sorted.at(-1),
  };
};

const rowOf = (size, { first, one, whole }) => {
  const ms = (seconds) => (seconds * 1000).toFixed(0);
  return [
    size.toLocaleString('en'),
    `${ms(one.middle)} [${ms(one.low)}–${ms(one.high)}]`,
    first.cpu.toFixed(2),
    whole.cpu.toFixed(2),
    whole.seconds.toFixed(1),
    whole.p99Ms.toFixed(1),
    whole.slowestMs.toFixed(1),
  ];
};

const report = (rows, rounds) =>
  [
    '## forecast',
    '',
    `CPU of the service from a change of one post until its forecast is current, median [quartiles] of ${rounds} changes; then a check of`,
    'all posts: the first, and one after the only account was disconnected, which changes every forecast. Beside it a client',
    `asks for a small page every ${requestEveryMs} ms: the slowest answer is at least as long as the event loop was ever held.`,
    '',
    table(
      ['scheduled', 'one post, CPU ms', 'first check, CPU s', 'all, CPU s', 'all, s', 'request p99, ms', 'slowest, ms'],
      rows,
    ),
    '',
  ].join('\n');
