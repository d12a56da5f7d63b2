// The 1.00 baseline: a bare loop that claims rows, posts them over kept-alive connections and marks them as done.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { Pool } from 'undici';

const batch = 100;
/** As many as the service has under way to one receiver. */
const connections = 8;
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

const receivers = new Map();
const receiverAt = (url) => {
  let known = receivers.get(url);
  if (known === undefined) {
    const { origin, pathname: path } = new URL(url);
    // No timeouts: this loop never meets a receiver that hangs.
    const pool = new Pool(origin, {
      connections,
      connect: { ca: process.env.CERTIFICATE },
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    known = { pool, path };
    receivers.set(url, known);
  }
  return known;
};

/** Leaner than undici's `request`, which makes a stream of every answer. */
class Answer {
  constructor(resolve, reject) {
    this.resolve = resolve;
    this.reject = reject;
    this.status = 0;
  }
  onRequestStart() {}
  onResponseStart(_controller, status) {
    this.status = status;
  }
  onResponseData() {}
  onResponseEnd() {
    if (this.status === 204) this.resolve();
    else this.reject(new Error(`answered ${this.status}`));
  }
  onResponseError(_controller, error) {
    this.reject(error);
  }
}

const headers = { 'content-type': 'application/json' };

const post = async ({ url, body }) => {
  const { pool, path } = receiverAt(url);
  const send = () =>
    new Promise((resolve, reject) => {
      pool.dispatch({ path, method: 'POST', headers, body }, new Answer(resolve, reject));
    });
  try {
    await send();
  } catch (error) {
    // A kept connection may be closed by the receiver just when it is used again.
    if (error.code !== 'ECONNRESET' && error.code !== 'UND_ERR_SOCKET') throw error;
    await send();
  }
};

const turn = async () => {
  const id = randomUUID();
  const { rows } = await db.query({ ...claim, values: [batch, id] });
  await Promise.all(rows.map(post));
  if (rows.length > 0) await db.query({ ...save, values: [rows.map((row) => row.id), id] });
  return rows.length;
};

/** Two side by side: while one waits for the database, the other sends. */
const drain = async () => {
  const side = async () => {
    while ((await turn()) > 0);
  };
  await Promise.all([side(), side()]);
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
