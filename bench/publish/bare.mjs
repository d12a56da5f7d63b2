// The leanest loop that posts what is due: claim a batch with SKIP LOCKED, call the network, mark it done.
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { Agent, request } from 'undici';

const { NETWORK_URL, ...env } = process.env;
const config = JSON.parse(env.DATABASE);
const atOnce = 64;
/** The same as in the service. It must not poll constantly while others are measured. */
const longestSleepMs = 10_000;

const pool = new pg.Pool({ ...config, max: 4 });
pool.on('error', () => undefined);
const agent = new Agent({ keepAliveTimeout: 1000 });

const claim = {
  name: 'claim',
  text: `with due as (select id from bare_posts where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked)
         update bare_posts set due_at = clock_timestamp() + interval '1 minute' from due where bare_posts.id = due.id
         returning bare_posts.id, body`,
};
const done = { name: 'done', text: `update bare_posts set due_at = null, state = 'done' where id = $1` };
const next = {
  name: 'next',
  text: 'select ceil(extract(epoch from min(due_at) - clock_timestamp()) * 1000)::float8 as ms from bare_posts where due_at is not null',
};

const post = async ({ id, body }) => {
  const answer = await request(`${NETWORK_URL}/bare`, {
    dispatcher: agent,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ text: body }),
  });
  await answer.body.dump();
  await pool.query({ ...done, values: [id] });
};

process.once('disconnect', () => process.exit(0));
let wake = () => undefined;
process.on('message', () => wake());
process.send('ready');
let running = 0;
let freed = () => undefined;
for (;;) {
  if (running >= atOnce) {
    // Asking again and again would cost the more CPU time the slower the machine is.
    await new Promise((resolve) => {
      freed = resolve;
    });
  }
  const { rows } = await pool.query({ ...claim, values: [atOnce - running] });
  for (const row of rows) {
    running++;
    post(row).finally(() => {
      running--;
      freed();
    });
  }
  if (rows.length > 0) continue;
  const filled = new Promise((resolve) => {
    wake = resolve;
  });
  const { ms } = (await pool.query(next)).rows[0];
  await Promise.race([filled, sleep(Math.max(0, Math.min(ms ?? longestSleepMs, longestSleepMs)))]);
}
