import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { findAction, runNow } from '#server/agents/admission';
import { createMovableClock } from '#server/base/clock';
import { readConfig } from '#server/base/config/config';
import type { OutboundOptions } from '#server/base/outbound/guarded-client';
import { type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import { createHttpServer } from '#server/doors/http/server';
import { connectInSandbox } from '#server/simulation/sandbox/sign-up';
import { diagnose, diagnoseNetworks } from '#server/wiring/cli/doctor';
import { selfSigned } from '#test/support/certificate';
import { urlOf } from '#test/support/database';
import { pretendInternet } from '#test/support/internet';
import { openPosthorn } from '#test/support/posthorn';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

/** Network credentials that the operator enters. TikTok's sandbox, behind a test server, stands in for the real one. */

let service: Service;
let relay: Server;
let internet: OutboundOptions;
let owner: ReturnType<Service['browser']>;
const ENCRYPTION_KEYS = `k1:${randomBytes(32).toString('base64')}`;
const right = { TIKTOK_CLIENT_KEY: 'sandbox', TIKTOK_CLIENT_SECRET: 'sandbox' };
const path = '/api/app/network-keys/tiktok';

beforeAll(async () => {
  const certificate = selfSigned({ names: ['open.tiktokapis.com'] });
  relay = createServer(certificate, (req, res) => {
    const { host: _host, ...headers } = req.headers;
    const url = `${service.url}/sandbox/tiktok/api${req.url}`;
    const forwarded = request(url, { method: req.method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(res);
    });
    req.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  internet = {
    ...pretendInternet({ names: { 'open.tiktokapis.com': [['93.184.216.34']] }, port }),
    extraCa: certificate.cert,
  };
  service = await startService({ ENCRYPTION_KEYS }, { ownAddress: true, internet });
  owner = service.browser();
  await owner.signIn();
});
afterAll(async () => {
  relay?.closeAllConnections();
  relay?.close();
  await service?.stop();
});

const password = 'correct horse';
const save = (values: object) => owner.post(path, { values, password });
const remove = () => owner.post(`${path}/remove`, { password });
const keysOf = async (network = 'tiktok') => {
  const { body } = await owner.get('/api/app/network-keys');
  return (body.networks as { network: string }[]).find((one) => one.network === network);
};

test('half of them, mistyped ones and ones that the network refuses are refused in words, and nothing is saved', async () => {
  for (const [values, message] of [
    [{ TIKTOK_CLIENT_KEY: 'sandbox' }, 'values.TIKTOK_CLIENT_SECRET is required: TikTok gives both'],
    [{ ...right, TIKTOK_CLIENT_SECRET: 'two words' }, 'has a space or line break. Copy it again'],
    [{ ...right, X_CLIENT_ID: 'x' }, 'values.X_CLIENT_ID is no credential of TikTok'],
    [
      { ...right, TIKTOK_CLIENT_SECRET: 'wrong' },
      'TikTok does not know this app and secret (Client key or secret is incorrect). Copy TIKTOK_CLIENT_KEY and TIKTOK_CLIENT_SECRET again. Nothing was saved.',
    ],
  ] as const) {
    expect(await save(values)).toMatchObject({
      status: 400,
      body: { code: 'BadInput', message: expect.stringContaining(message) },
    });
  }
  expect((await owner.post('/api/app/network-keys/bluesky', { values: {}, password })).status).toBe(404);
  expect(await keysOf()).toMatchObject({ state: 'Missing', settings: Object.keys(right) });
});

test('right ones are sealed, used at once by every instance, and tested by a first sign-in', async () => {
  // Another instance on the same database.
  const { database, outbound, seal, config, log } = service;
  const other = openPosthorn({ database, outbound, seal, config, clock: createMovableClock(), ownUrl: () => '', log });
  other.jobs.follow();
  other.live.start();
  // Open tabs of all workspaces are told to reload the networks.
  const events: string[] = [];
  service.posthorn.live.onChange(({ workspaceId, kind, id }) => events.push(`${workspaceId} ${kind} ${id}`));
  expect(await save(right)).toMatchObject({ status: 200, body: { tried: true } });
  await until('open tabs know', () => events.includes('* provider tiktok'));
  const record = await keysOf();
  expect(record).toMatchObject({ state: 'Entered', updatedAt: expect.any(String) });
  expect(record).not.toHaveProperty('workedAt');
  expect(JSON.stringify(record)).not.toContain('"sandbox"');
  const [row] = await database.query(
    sql('test.keys', 'select sealed_values as text from network_keys').holds<{ text: string }>(),
  );
  expect(row?.text).toMatch(/^v1\.k1\./);
  const listed = service.posthorn.providers.list().find(({ network }) => network === 'tiktok');
  expect(listed).toMatchObject({ configured: true, sandbox: false });
  const settings = readConfig({ DATABASE_URL: urlOf(service.parts), POSTHORN_DATA: config.dataDir, ENCRYPTION_KEYS });
  const ofNetwork = await diagnoseNetworks(settings, 'tiktok', internet);
  expect(ofNetwork.text).toContain('TIKTOK_CLIENT_KEY and TIKTOK_CLIENT_SECRET are set');
  expect(ofNetwork.text).toMatch(/^ok +TikTok knows the app and its secret$/m);
  const { text } = await diagnose(settings);
  expect(text).toMatch(/^ok +Networks with credentials: TikTok$/m);
  expect(text).not.toContain('TikTok is');
  await until('the other instance has them', async () => other.networkKeys.setting('TIKTOK_CLIENT_KEY') === 'sandbox');

  const caller = { ...service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
  const here = (url: string) => url.replace('https://www.tiktok.com', `${service.url}/sandbox/tiktok/web`);
  await connectInSandbox(service.posthorn, caller, 'tiktok', { handle: 'anna', here });
  expect(await keysOf()).toMatchObject({ state: 'Entered', workedAt: expect.any(String) });
  await until('the other instance knows that they work', () =>
    other.networkKeys.list().some(({ network, workedAt }) => network === 'tiktok' && workedAt !== undefined),
  );

  expect((await remove()).status).toBe(200);
  expect(await keysOf()).toMatchObject({ state: 'Missing' });
  await until('the other instance has none', async () => other.networkKeys.setting('TIKTOK_CLIENT_KEY') === undefined);
  const removals = () =>
    service.database.query(sql('test.removals', "select from service_audit_log where event = 'network-keys.removed'"));
  const { length: before } = await removals();
  expect((await remove()).status).toBe(404);
  expect(await removals()).toHaveLength(before);
});

test('they are entered and removed with the password or a code, not with a session alone', async () => {
  const unproven = { status: 400, body: { issues: [{ path: 'password' }] } };
  expect(await owner.post(path, { values: right })).toMatchObject(unproven);
  expect(await keysOf()).toMatchObject({ state: 'Missing' });
  expect((await save(right)).status).toBe(200);
  expect(await owner.post(`${path}/remove`)).toMatchObject(unproven);
  expect(await keysOf()).toMatchObject({ state: 'Entered' });
  expect((await remove()).status).toBe(200);
});

test('a tab that asks another instance as soon as it hears of them gets them, while that instance still reads them', async () => {
  const { database, outbound, seal, config, log } = service;
  let go: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    go = resolve;
  });
  let isAsked = false;
  const slow: typeof database = {
    ...database,
    query: async <Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>) => {
      if (statement.name === 'networkKeys.all') await held;
      const rows = await database.query(statement, ...values);
      // At this point the answer waits only for the keys.
      if (statement.name === 'users.operator' && isAsked) setImmediate(go);
      return rows;
    },
  };
  const other = openPosthorn({
    database: slow,
    outbound,
    seal,
    config,
    clock: createMovableClock(),
    ownUrl: () => '',
    log,
  });
  const heard = new Promise<void>((resolve) => other.live.onChange(({ kind }) => kind === 'provider' && resolve()));
  other.live.start();
  await until('it listens', () => other.live.isListening());
  const { app } = other.openDoors(await other.openIdentity());
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  expect(await save(right)).toMatchObject({ status: 200 });
  await heard;
  const headers = { cookie: owner.cookie() };
  const list = findAction(other.actions, 'providers.list');
  const listing = runNow(list, list.admit({}, { ...service.owner, role: 'owner', mayPublish: true, isPerson: true }));
  isAsked = true;
  const answer = await (await fetch(`http://127.0.0.1:${port}/api/app/network-keys`, { headers })).json();
  expect(answer).toMatchObject({
    networks: expect.arrayContaining([expect.objectContaining({ network: 'tiktok', state: 'Entered' })]),
  });
  expect((await listing).value).toMatchObject({
    providers: expect.arrayContaining([expect.objectContaining({ network: 'tiktok', configured: true })]),
  });
  expect((await remove()).status).toBe(200);
});

test('whoever set Posthorn up reads in the log of the server who entered them, and nobody else reads it', async () => {
  expect((await save(right)).status).toBe(200);
  expect((await owner.post(`${path}/remove`, { password })).status).toBe(200);
  const log = '/api/app/installation/audit';
  const { entries } = (await owner.get(log)).body;
  const [removed, saved] = entries;
  const by = { userId: service.owner.userId, person: 'owner', details: { network: 'tiktok' } };
  expect(removed).toMatchObject({ event: 'network-keys.removed', ...by });
  expect(saved).toMatchObject({ event: 'network-keys.saved', ...by });
  expect(JSON.stringify(entries)).not.toContain(right.TIKTOK_CLIENT_SECRET);
  const { email } = await service.addMember('admin');
  const admin = service.browser();
  await admin.signIn(email);
  expect(await admin.get(log)).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
});

test('others see which networks need keys and whom to ask, and cannot enter any', async () => {
  const { email } = await service.addMember('admin');
  const admin = service.browser();
  await admin.signIn(email);
  expect(await admin.get('/api/app/network-keys')).toMatchObject({ status: 200, body: { operator: 'owner' } });
  expect((await admin.post(path, { values: right })).status).toBe(403);
});

test('those of the environment win, and the app says so', async () => {
  const own = await startService({ X_CLIENT_ID: 'a', X_CLIENT_SECRET: 'b', THREADS_APP_ID: 'half' });
  const browser = own.browser();
  await browser.signIn();
  const { body } = await browser.get('/api/app/network-keys');
  const stateOf = (key: string) =>
    (body.networks as { network: string; state: string }[]).find(({ network }) => network === key)?.state;
  expect([stateOf('x'), stateOf('threads'), stateOf('facebook')]).toEqual(['Environment', 'Missing', 'Missing']);
  for (const [network, name] of [
    ['x', 'X_CLIENT_ID and X_CLIENT_SECRET'],
    ['threads', 'THREADS_APP_ID'],
  ]) {
    expect((await browser.post(`/api/app/network-keys/${network}`, { values: {}, password })).body).toMatchObject({
      code: 'Conflict',
      message: `${name} is set in the environment of the server, which wins. Change it there, or remove it and restart.`,
    });
  }
  expect(own.posthorn.networkKeys.setting('X_CLIENT_ID')).toBe('a');
  await own.stop();
});
