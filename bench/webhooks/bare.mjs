// A loop that claims rows, posts them with undici and marks them, with nothing around it: what 1.00 is.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent, request } from 'undici';

const batch = 100;
const dispatcher = new Agent({ connect: { ca: process.env.CERTIFICATE } });
const db = new pg.Pool({ max: Number(process.env.DATABASE_POOL) });

const claim = {
  name: 'claim',
  text: `with due as (
     select id from bare_deliveries where due_at <= clock_timestamp() order by due_at limit $1 for update skip locked
   )
   update bare_deliveries d set state = 'sending', claim = $2, due_at = clock_timestamp() + interval '30 seconds'
     from due, webhooks w where d.id = due.id and w.id = d.webhook_id
   returning d.id, d.body, w.url`,
};
const save = {
  name: 'save',
  text: `update bare_deliveries d set state = 'delivered', attempts = attempts + 1, last_answer = 'HTTP 204',
     tried_at = clock_timestamp(), due_at = null, claim = null where id = any ($1) and claim = $2`,
};

const post = async ({ url, body }) => {
  const send = () =>
    request(url, { dispatcher, method: 'POST', headers: { 'content-type': 'application/json' }, body });
  // A kept connection may be closed by the receiver just when it is used again.
  const answer = await send().catch((error) => {
    if (error.code === 'ECONNRESET' || error.code === 'UND_ERR_SOCKET') return send();
    throw error;
  });
  await answer.body.dump();
  if (answer.statusCode !== 204) throw new Error(`answered ${answer.statusCode}`);
};

const turn = async () => {
  const id = randomUUID();
  const { rows } = await db.query({ ...claim, values: [batch, id] });
  await Promise.all(rows.map(post));
  if (rows.length > 0) await db.query({ ...save, values: [rows.map((row) => row.id), id] });
  return rows.length;
};

/** Two at a time: while one waits for the database, the other sends. */
const drain = async () => {
  while ((await Promise.all([turn(), turn()])).some((count) => count > 0));
};

const listening = new pg.Client();
await listening.connect();
let running = Promise.resolve();
listening.on('notification', () => {
  running = running.then(drain);
});
await listening.query('listen posthorn_due');
process.once('disconnect', () => process.exit());
process.send({ port: 0 });
