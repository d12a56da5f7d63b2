import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readConfig } from '#server/base/config/config';
import { type RunningService, start } from '#server/wiring/main';
import { type FreshDatabase, freshDatabase, urlOf } from '#test/support/database';
import { until } from '#test/support/until';

/** A service that is told to stop, while requests and recurring work are under way. */

let fresh: FreshDatabase;
let dataDir: string;
let watcher: pg.Client;
beforeEach(async () => {
  fresh = await freshDatabase({ isMigrated: true });
  dataDir = await mkdtemp(join(tmpdir(), 'posthorn-stop-'));
  watcher = await connect();
});
afterEach(async () => {
  await watcher.end();
  await fresh.drop();
  await rm(dataDir, { recursive: true, force: true });
});

const connect = async () => {
  const client = new pg.Client(fresh.parts);
  await client.connect();
  return client;
};

/** Every statement that uses the table waits until the returned function is called. */
const hold = async (table: string) => {
  const holder = await connect();
  await holder.query('begin');
  await holder.query(`lock table ${table} in access exclusive mode`);
  return async () => {
    await holder.query('rollback');
    await holder.end();
  };
};
const untilWaiting = (table: string) =>
  until(`a statement waits for ${table}`, async () => {
    const waiting = 'select from pg_stat_activity where wait_event_type = $1 and query like $2 and datname = $3';
    const values = ['Lock', `%${table}%`, fresh.parts.database];
    return (await watcher.query(waiting, values)).rows.length > 0;
  });

const begin = (settings: NodeJS.ProcessEnv) =>
  start(
    readConfig({
      ...{ POSTHORN_DATA: dataDir, PORT: '0', DATABASE_URL: urlOf(fresh.parts) },
      ...{ LOG_LEVEL: 'info', LOG_FILE: join(dataDir, 'posthorn.log'), ...settings },
    }),
  );
interface Line {
  level: number;
  msg: string;
}
const logged = async (): Promise<Line[]> =>
  (await readFile(join(dataDir, 'posthorn.log'), 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const stopIsLogged = () =>
  until('the stop is logged', async () => (await logged()).some(({ msg }) => msg === 'stopping'));
const expectNoFault = async () => {
  const lines = await logged();
  expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
  expect(JSON.stringify(lines)).not.toContain('Cannot use a pool');
};

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}
const ask = (
  { url }: RunningService,
  path: string,
  { agent, headers = {} }: { agent?: Agent; headers?: Record<string, string> } = {},
  body?: string,
) =>
  new Promise<Answer>((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST';
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const req = request(url + path, { method, headers: { ...json, ...headers }, ...(agent && { agent }) });
    req.on('error', reject);
    req.on('response', async (res) => {
      let text = '';
      for await (const chunk of res) text += chunk;
      resolve({ status: res.statusCode ?? 0, headers: res.headers, text });
    });
    req.end(body);
  });
const newToken = async ({ posthorn }: RunningService) => {
  const owner = await posthorn.people.setUp({ email: 'owner@example.com', workspace: 'Demo' });
  return (await posthorn.tokens.create(owner, 'Test')).token;
};

test('new requests get 503 with Retry-After, on open connections too, and those under way are finished', async () => {
  const service = await begin({ DRAIN_SECONDS: '60' });
  const headers = { authorization: `Bearer ${await newToken(service)}` };
  const list = (agent?: Agent) =>
    ask(service, '/api/agent/tools/posts.list', { headers, ...(agent && { agent }) }, '{}');
  const open = new Agent({ keepAlive: true, maxSockets: 1 });
  expect((await ask(service, '/healthz', { agent: open })).headers.connection).toBe('keep-alive');

  const release = await hold('personal_tokens');
  const underWay = list();
  await untilWaiting('personal_tokens');
  const stopped = service.stop();
  await stopIsLogged();

  for (const { status, headers: answered, text } of [await list(open), await list()]) {
    expect({ status, retryAfter: answered['retry-after'], connection: answered.connection }).toEqual({
      ...{ status: 503, retryAfter: '1', connection: 'close' },
    });
    expect(JSON.parse(text)).toEqual({
      ...{ code: 'Internal', message: expect.stringContaining('stopping or restarting'), issues: [] },
    });
    expect(answered['x-request-id']).toBeTruthy();
  }
  expect((await ask(service, '/mcp', {}, '{}')).status).toBe(503);
  // A browser loads the page again, and then reaches another process or the next one.
  const page = await ask(service, '/', { headers: { accept: 'text/html' } });
  expect([page.status, page.headers.refresh, page.text]).toEqual([503, '1', expect.stringContaining('stopping')]);
  expect(await ask(service, '/readyz')).toMatchObject({ status: 503, text: 'shutting down' });
  expect((await ask(service, '/healthz')).status).toBe(200);

  await release();
  expect((await underWay).status).toBe(200);
  await stopped;
  await expect(list()).rejects.toThrow('ECONNREFUSED');
  await expectNoFault();
});

test('recurring work that is under way is finished and saved before the database is closed', async () => {
  const release = await hold('identity_records');
  const service = await begin({ DRAIN_SECONDS: '60' });
  await untilWaiting('identity_records');
  const stopped = service.stop();
  await stopIsLogged();
  await release();
  await stopped;
  const name = 'remove expired records of the identity provider';
  const { rows } = await watcher.query('select last_finished_at, locked_at from agenda_jobs where name = $1', [name]);
  expect(rows).toEqual([{ last_finished_at: expect.any(Date), locked_at: null }]);
  await expectNoFault();
});

test('recurring work that takes longer than the time for stopping ends at its next statement, and that is no fault', async () => {
  const release = await hold('identity_records');
  const service = await begin({ DRAIN_SECONDS: '1' });
  await untilWaiting('identity_records');
  await service.stop();
  await release();
  await until('it has ended', async () => (await logged()).some(({ msg }) => msg.includes('the process stops')));
  await expectNoFault();
});

test('a request that takes longer than the time for stopping is cut off, and that is no fault', async () => {
  const service = await begin({ DRAIN_SECONDS: '1' });
  const headers = { authorization: `Bearer ${await newToken(service)}` };
  const release = await hold('personal_tokens');
  const cut = ask(service, '/api/agent/tools/posts.list', { headers }, '{}').catch((error: Error) => error.message);
  await untilWaiting('personal_tokens');
  await service.stop();
  expect(await cut).toMatch(/socket hang up|ECONNRESET/);
  await release();
  await expectNoFault();
});
