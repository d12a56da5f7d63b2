// Signed deliveries through the whole service beside a bare loop, and what one receiver that hangs costs the others.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { importCompiled } from '../compiled.mjs';
import { atPlace } from '../place.mjs';
import { cpuSeconds, messageFrom, startFile } from '../processes.mjs';
import { median, ratio, shuffled, spread, table } from '../table.mjs';

const silent = 3;

export const measure = ({ rounds = 9, blink, others = [] }) =>
  atPlace({ blink }, async (all) => {
    const perWebhook = blink ? 2 : 400;
    const { CERTIFICATE, KEY, OUTBOUND_CA } = await certify(all.folder);
    const receiver = startFile('webhooks/receiver.mjs', { CERTIFICATE, KEY });
    const { ports } = await messageFrom(receiver);
    const allow = ports.map((port) => `127.0.0.1:${port}`).join(',');
    const builds = [];
    for (const program of [undefined, ...others]) {
      builds.push(await startPosthorn(all, program, { OUTBOUND_ALLOW: allow, OUTBOUND_CA }, ports));
    }
    const [posthorn, ...further] = builds;
    const bare = await startBare(posthorn, CERTIFICATE);
    const work = {
      bare: { sender: bare },
      posthorn: { sender: posthorn },
      nine: { sender: posthorn, without: silent },
      hanging: { sender: posthorn, hanging: silent },
      ...Object.fromEntries(further.map((sender, i) => [`build ${i + 2}`, { sender }])),
    };
    const samples = [];
    for (let round = blink ? 1 : 0; round <= rounds; round++) {
      process.stderr.write(round === 0 ? 'warming up …\n' : `round ${round} of ${rounds} …\n`);
      const sample = {};
      for (const [name, what] of shuffled(Object.entries(work))) {
        sample[name] = await deliver({ receiver, perWebhook, ...what });
      }
      if (round > 0) samples.push(sample);
    }
    for (const { db } of builds) await db.end();
    const signed = median(samples.map((sample) => sample.bare.cpu / sample.posthorn.cpu));
    return { text: report(samples, rounds, perWebhook), values: { 'Posthorn, signed': signed } };
  });

/** Webhooks must use https, so this machine gets a certificate that both senders trust. */
export const certify = async (folder) => {
  const { selfSigned } = await importCompiled('test/support/certificate.ts');
  const { cert, key } = selfSigned();
  const OUTBOUND_CA = join(folder, 'ca.pem');
  writeFileSync(OUTBOUND_CA, cert);
  return { CERTIFICATE: cert, KEY: key, OUTBOUND_CA };
};

/** On a database of its own: two services on one would share the work. */
export const startPosthorn = async (all, program, settings, ports) => {
  const place = await all.apart();
  const { pid, url } = await place.service('Posthorn', settings, program);
  const webhooks = await addWebhooks(place, url, ports);
  return { place, pid, db: await connectTo(place.config), webhooks, table: 'deliveries' };
};

export const startBare = async ({ place, db, webhooks }, CERTIFICATE) => {
  await db.query('create table bare_deliveries (like deliveries including all)');
  await db.query('create index on bare_deliveries (due_at) where due_at is not null');
  // The bare loop updates rows by id.
  await db.query('create unique index on bare_deliveries (id)');
  const { pid } = await place.contender('bare', 'webhooks/bare.mjs', { CERTIFICATE });
  return { pid, db, webhooks, table: 'bare_deliveries' };
};

const addWebhooks = async (place, url, ports) => {
  await place.setUp();
  let cookie = '';
  const post = async (path, body) => {
    const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const content = await answer.json();
    assert.equal(answer.status, 200, JSON.stringify(content));
    cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return content;
  };
  await post('/api/auth/sign-in', { email: 'bench@example.com', password: 'long enough to be taken' });
  const ids = [];
  for (const port of ports) {
    const webhook = { url: `https://127.0.0.1:${port}/hook`, events: ['post.published'] };
    ids.push((await post('/api/webhooks', webhook)).id);
  }
  return ids;
};

const connectTo = async (config) => {
  const db = new pg.Client(config);
  db.on('error', () => undefined); // the database stops under it when we are interrupted
  await db.connect();
  return db;
};

/** The payload of post.published for a post with two accounts. */
const body = JSON.stringify({
  id: 'evt_01J00000000000000000000000',
  type: 'post.published',
  createdAt: '2026-11-15T09:30:00.000Z',
  workspaceId: 'ws_01J00000000000000000000000',
  data: {
    post: {
      id: 'post_01J00000000000000000000000',
      status: 'Published',
      accountIds: ['acct_01J00000000000000000000000', 'acct_01J00000000000000000000001'],
      versions: [{ content: [{ body: 'Posthorn 0.1 is out. '.repeat(12), media: [] }], options: {} }],
      results: [0, 1].map((i) => ({
        accountId: `acct_01J0000000000000000000000${i}`,
        ok: true,
        externalId: '3lk2z4m5n6o7p',
        url: 'https://example.com/post/3lk2z4m5n6o7p',
      })),
      updatedAt: '2026-11-15T09:30:00.123456Z',
    },
  },
});

/** Queues `perWebhook` deliveries for each webhook, all due at once; times them until the last answered one arrives. */
export const deliver = async ({ receiver, perWebhook, sender, hanging, without }) => {
  const { db, webhooks } = sender;
  const targets = webhooks.filter((_, place) => place !== without);
  const served = targets.filter((id) => id !== webhooks[hanging]);
  const expected = served.length * perWebhook;
  receiver.send({ expected, hanging });
  await messageFrom(receiver);
  await db.query(`truncate ${sender.table}`);
  const done = messageFrom(receiver);
  const cpuBefore = cpuSeconds(sender.pid);
  await db.query(
    `with made as (
       insert into ${sender.table} (workspace_id, id, webhook_id, event_id, type, body)
       select w.workspace_id, format('whd_%s_%s', n, w.id), w.id, format('evt_%s', n), 'post.published', $2
         from generate_series(1, $3) n, webhooks w where w.id = any($1) returning id
     )
     select pg_notify('posthorn_due', 'deliveries') from (select count(*) from made) as all_of_them`,
    [targets, body, perWebhook],
  );
  const begun = performance.now();
  const { handshakes } = await done;
  const seconds = (performance.now() - begun) / 1000;
  await mustBeMarked(db, sender.table, served);
  const cpu = cpuBefore === undefined ? undefined : (cpuSeconds(sender.pid) - cpuBefore) / expected;
  return { perSecond: expected / seconds, cpu, handshakes };
};

/** Every delivery that arrived must also be marked in the log. */
const mustBeMarked = async (db, name, served) => {
  for (let i = 0; i < 100; i++) {
    const open = `select count(*)::int as open from ${name} where state <> 'delivered' and webhook_id = any ($1)`;
    if ((await db.query(open, [served])).rows[0].open === 0) return;
    await sleep(50);
  }
  throw new Error(`Not all rows of ${name} were marked.`);
};

const report = (samples, rounds, perWebhook) => {
  const ratios = (one, other, value) => ratio(samples.map((sample) => value(sample[one]) / value(sample[other])));
  const perSecond = (sample) => sample.perSecond;
  const perCpuSecond = ({ cpu }) => 1 / cpu;
  const middle = (name, value) => String(Math.round(spread(samples.map((sample) => value(sample[name]))).middle));
  const here = (name) => [middle(name, perSecond), middle(name, ({ handshakes }) => handshakes)];
  const row = (name, one, other) => [
    name,
    samples[0][one].cpu === undefined ? '' : ratios(one, other, perCpuSecond),
    ratios(one, other, perSecond),
    ...here(one),
  ];
  const builds = Object.keys(samples[0])
    .filter((name) => name.startsWith('build '))
    .toSorted();
  return [
    '## webhooks',
    '',
    `${rounds} rounds of ${perWebhook} deliveries to each of ten receivers on loopback, all due at once. Node ${process.version}, one process`,
    'each for sender, receivers and database. Median [quartiles] of the ratios within each round.',
    '',
    table(
      ['sender', 'per CPU second of the sender', 'per second', 'a second, here', 'handshakes'],
      [
        ['bare loop: claim, post, mark', '1.00', '1.00', ...here('bare')],
        row('Posthorn, signed', 'posthorn', 'bare'),
        ...builds.map((name) => row(`Posthorn, ${name}`, name, 'bare')),
        ['Posthorn to nine receivers', '1.00', '1.00', ...here('nine')],
        row('the same nine, a tenth hangs', 'hanging', 'nine'),
      ],
    ),
    '',
  ].join('\n');
};
