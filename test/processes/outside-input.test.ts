import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '#test/support/database';
import { createProcesses, type Processes, type Running } from '#test/support/processes';
import { until } from '#test/support/until';
import { brokenRow, message, startWire, type Wire } from '#test/support/wire';

// No input from outside may crash the process; tested on the real one, as `npm start` runs it.
let fresh: FreshDatabase;
let wire: Wire;
let processes: Processes;
let service: Running;
let token: string;
const person = { email: 'a@example.com', password: 'correct horse' };

beforeAll(async () => {
  fresh = await freshDatabase({ isMigrated: true });
  wire = await startWire(fresh.parts);
  processes = await createProcesses(undefined, { DATABASE_URL: urlOf(wire) });
  service = await processes.start();
  const { email, password: secret } = person;
  ({ token = '' } = await processes.ask('setup', '--email', email, '--password', secret, '--workspace', 'Demo'));
});
afterAll(async () => {
  await processes.clear();
  wire.stop();
  await fresh.drop();
});
afterEach(() => {
  wire.change = (said) => said;
  wire.onMessage = () => undefined;
});

const urlOf = ({ parts: { host, port, user = '', password = '', database } }: Wire) =>
  `postgres://${user}:${encodeURIComponent(password)}@${host}:${port}/${database}`;

const isUp = () => {
  process.kill(service.pid, 0);
  return true;
};
const create = () => service.call(token, 'posts.create', { body: 'Still here.' });
const worksAgain = () => until('the service works again', async () => isUp() && (await create()).status === 200);

/** An open tab of the person. */
const openTab = async () => {
  const { cookie } = await service.signIn(person);
  const stop = new AbortController();
  const response = await fetch(`${service.url}/api/app/events`, { headers: { cookie }, signal: stop.signal });
  const tab = { heard: '', close: () => stop.abort() };
  (async () => {
    for await (const chunk of response.body ?? []) tab.heard += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  await until('the stream is open', () => tab.heard.includes('retry:'));
  return tab;
};

const texts = [
  '',
  'null',
  '5',
  '"text"',
  '[]',
  '{}',
  '{',
  '{"accessOf":5}',
  '{"accessOf":null}',
  '{"eventId":"1\\nevent: forged","workspaceId":"*","kind":"post","id":"forged"}',
  '{"eventId":"1","workspaceId":"*","kind":{},"id":[]}',
  '{"type":"fail","jobName":null,"error":5}',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(7_999),
];

test('a notice of any text on any channel is ignored, reported, and what is true is still heard', async () => {
  const tab = await openTab();
  const listeners = () => wire.connections.filter(({ sent }) => /listen "/i.test(sent));
  const before = listeners().length;
  const client = new pg.Client(fresh.parts);
  await client.connect();
  // Bad messages are reported only on the last channel; once they are, the other channels have been handled too.
  for (const channel of ['posthorn_due', 'agenda:jobs', 'agenda:jobs:state', 'posthorn_live']) {
    for (const text of texts) await client.query('select pg_notify($1, $2)', [channel, text]);
  }
  await client.end();
  const { body } = await create();
  await until('the tab hears of the post', () => isUp() && tab.heard.includes(String(body.id)));
  expect(tab.heard).not.toContain('forged');
  const reports = () =>
    processes.logs().match(/An unknown notification on the channel of live events was ignored/g) ?? [];
  await until('all are reported', () => reports().length >= texts.length);
  expect(processes.logs()).not.toContain('database connection lost');
  expect(listeners()).toHaveLength(before);
  tab.close();
});

test.each(['listen "posthorn_live"', 'listen "posthorn_due"', 'LISTEN "agenda:jobs"'])(
  'a listener (%s) that gets a broken message is reported, dropped and connects again',
  async (words) => {
    const tab = await openTab();
    const listeners = () => wire.connections.filter(({ sent }) => sent.includes(words));
    const before = listeners().length;
    listeners().at(-1)?.inject(brokenRow);
    await until('another one listens', () => isUp() && listeners().length > before);
    await until('it is reported', () => processes.logs().includes('A message of PostgreSQL could not be processed'));
    const { body } = await create();
    await until('tabs hear', () => tab.heard.includes(String(body.id)) || tab.heard.includes('event: resync'));
    tab.close();
  },
);

test('a request whose connection gets a broken message is answered with an error, and the next one works', async () => {
  await worksAgain();
  wire.change = (said) => (said[0] === 'D'.charCodeAt(0) ? brokenRow : said);
  const { status, body } = await create();
  expect({ status, body }).toMatchObject({ status: 500, body: { code: 'Internal', issues: [] } });
  wire.change = (said) => said;
  await worksAgain();
});

test.each([
  ['an error without a code', message('E', Buffer.from('SERROR\0Mno code\0\0'))],
  ['a message of a type that there is not', message('\x01', Buffer.from('what?'))],
  ['the end of a query that nobody asked', message('C', Buffer.from('SELECT 1\0'))],
  ['a message shorter than its own length', Buffer.from([0x44, 0, 0, 0, 0])],
])('%s on every connection at once does not end the process', async (_, said) => {
  await worksAgain();
  for (const connection of wire.connections) connection.inject(said);
  await worksAgain();
});

test('a form for the sandbox that breaks off in a file is refused', async () => {
  const form = '--cut\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf of it';
  const headers = { 'content-type': 'multipart/form-data; boundary=cut' };
  const answer = await fetch(`${service.url}/sandbox/pinterest/api/upload`, { method: 'POST', headers, body: form });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ code: 'BadInput', issues: [{ path: 'body' }] });
  await worksAgain();
});

test('metrics that are asked for while the database is away end no process of several', async () => {
  const ADMIN_TOKEN = 'token of the operator';
  const own = await freshDatabase({ isMigrated: true });
  const way = await startWire(own.parts);
  const many = await createProcesses(undefined, { DATABASE_URL: urlOf(way), ADMIN_TOKEN, WEB_PROCESSES: '2' });
  onTestFinished(async () => {
    await many.clear();
    way.stop();
    await own.drop();
  });
  const { url } = await many.start();
  const requestMetrics = () => fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
  await until('both serve', async () => /process_resident/.test(await (await requestMetrics()).text()));
  way.onMessage = (_, from) => from.cut();
  for (let time = 0; time < 4; time++) expect((await requestMetrics()).status).toBeLessThan(600);
  way.onMessage = () => undefined;
  await until('metrics are whole again', async () => /posthorn_queue_age/.test(await (await requestMetrics()).text()));
  expect(many.logs()).not.toContain('Another takes its place');
});
