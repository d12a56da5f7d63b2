import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '#contracts/webhooks';
import { webhookRoutes } from '#contracts/webhooks';
import { catalog } from '#generated/catalog';
import { mcpTools } from '#generated/mcp-tools';
import { jsonOf } from '#server/base/json/json-text';
import { sql } from '#server/base/store/database';
import { openForwarding } from '#server/messaging/webhooks/forwarding';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { type Receiver, startReceiver } from '#test/support/receiver';
import { type Service, startService } from '#test/support/service';
import { newTeam, type Team, type TeamWebhook } from '#test/support/teams';
import { until } from '#test/support/until';

const hook = 'https://hooks.example.com/posthorn';
const events = ['post.published', 'post.failed'];
/** Even a port listed in OUTBOUND_ALLOW must use https. */
const allowedPort = 9;

let receiver: Receiver;
let service: Service;
let others: Team;
/** How many webhooks the plan of a workspace covers; ten if nothing else is said. */
const allowed = new Map<string, number>();

beforeAll(async () => {
  receiver = await startReceiver();
  service = await startService(
    { ...receiver.settings(`127.0.0.1:${allowedPort}`), SIGN_INS_PER_HOUR: '100000' },
    { webhooks: { allowedWebhooks: (_plan, workspaceId) => allowed.get(workspaceId) ?? 10 } },
  );
  service.startJobs();
  others = await newTeam(service);
});

afterAll(async () => {
  await service.stop();
  receiver.stop();
});

const add = (team: Team, body: object = {}) => team.browser().post('/api/webhooks', { url: hook, events, ...body });

const audited = async (team: Team) => (await team.browser().get('/api/app/audit')).body.entries;

describe('a webhook', () => {
  test('is added with a secret that is shown this once', async () => {
    const team = await newTeam(service);
    const { body } = await add(team);
    expect(body).toEqual({
      id: expect.stringMatching(/^whk_[0-9A-Z]{26}$/),
      url: hook,
      events,
      state: 'active',
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{32}$/),
    });
    const { secret, ...listed } = body;
    expect((await team.browser().get('/api/webhooks')).body).toEqual({ webhooks: [listed] });
    expect((await team.browser().get(`/api/webhooks/${body.id}`)).body).toEqual(listed);
    const rows = await service.database.query(sql('test.webhooks', 'select w::text from webhooks w'));
    expect(JSON.stringify(rows)).toContain(body.id);
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain('whsec_');
  });

  test('has each event type once', async () => {
    const { body } = await add(await newTeam(service), { events: ['post.failed', 'post.published', 'post.failed'] });
    expect(body.events).toEqual(['post.failed', 'post.published']);
  });

  test.each([
    ['url', { url: undefined }],
    ['url', { url: 7 }],
    ['url', { url: '' }],
    ['url', { url: 'https://example.com:0/hook' }],
    ['url', { url: `https://example.com/${'a'.repeat(3000)}` }],
    ['events', { events: undefined }],
    ['events', { events: [] }],
    ['events.0', { events: ['post.created'] }],
    ['events.0', { events: ['ping'] }],
    ['events', { events: 'post.failed' }],
    ['secret', { secret: 'whsec_mine' }],
  ])('is refused as BadInput naming %s: %j', async (path, input) => {
    const { status, body } = await add(others, input);
    expect({ status, code: body.code, path: body.issues[0].path }).toEqual({ status: 400, code: 'BadInput', path });
  });

  test('is changed, its address and its events apart', async () => {
    const team = await newTeam(service);
    const webhook = await team.addWebhook(hook);
    expect(await webhook.change({ url: 'https://new.example.com/' })).toMatchObject({
      url: 'https://new.example.com/',
      events: ['post.published'],
    });
    expect(await webhook.change({ events: ['account.disconnected'] })).toMatchObject({
      url: 'https://new.example.com/',
      events: ['account.disconnected'],
    });
    expect((await team.browser().patch(`/api/webhooks/${webhook.id}`, { state: 'paused' })).body.code).toBe('BadInput');
  });

  test('is deleted with its log, and what waits is not sent', async () => {
    const team = await newTeam(service);
    const address = receiver.address(500);
    const webhook = await team.addWebhook(address.url);
    await webhook.test();
    await until('it waits', async () => (await webhook.log())[0].attempts === 1);
    expect(await webhook.remove()).toEqual({ done: true });
    for (const path of ['', '/deliveries']) {
      expect((await team.browser().get(`/api/webhooks/${webhook.id}${path}`)).status).toBe(404);
    }
    expect(
      await service.database.query(sql('test.left', 'select from deliveries where webhook_id = $1'), [webhook.id]),
    ).toEqual([]);
  });

  test('that is deleted during a delivery leaves no trace of it', async () => {
    const team = await newTeam(service);
    let end = () => undefined as unknown;
    const address = receiver.address((res) => {
      end = () => res.end();
    });
    const webhook = await team.addWebhook(address.url);
    await webhook.test();
    await address.nth(1);
    await webhook.remove();
    end();
    const next = receiver.address();
    await (await team.addWebhook(next.url)).test();
    await next.nth(1);
    expect((await team.browser().get('/api/webhooks')).body.webhooks).toHaveLength(1);
  });

  test('leaves its history in the audit log, without secrets and without the path of its address', async () => {
    const team = await newTeam(service);
    const address = receiver.address();
    const webhook = await team.addWebhook(address.url);
    await webhook.change({ events: ['post.failed'], url: `${address.url}?token=hush` });
    await webhook.rotate();
    const { id } = await webhook.test();
    await until('it is delivered', async () => (await webhook.log())[0].state === 'delivered');
    await webhook.resend(id);
    await webhook.remove();
    const entries = (await audited(team)).filter(({ event }: { event: string }) => event.startsWith('webhook.'));
    expect(entries.map(({ event }: { event: string }) => event)).toEqual([
      'webhook.deleted',
      'webhook.resent',
      'webhook.secret-rotated',
      'webhook.changed',
      'webhook.added',
    ]);
    for (const { userId, details } of entries) expect([userId, details.id]).toEqual([team.userId, webhook.id]);
    expect(JSON.stringify(entries)).not.toMatch(/whsec_|hush|\/hook-/);
  });
});

describe('only owners and admins', () => {
  const routes = Object.entries(webhookRoutes);
  const request = async (email: string, route: { method: string; path: string }, ids: Record<string, string>) => {
    const browser = service.browser();
    await browser.signIn(email);
    const path = route.path.replaceAll(/:(\w+)/g, (_all, name: string) => ids[name] ?? '');
    return service.request(route.method, path, {
      headers: { cookie: browser.cookie(), origin: 'http://posthorn.test', 'content-type': 'application/json' },
      ...(route.method !== 'GET' && { body: JSON.stringify({ url: hook, events }) }),
    });
  };

  test('there are twelve paths', () => {
    expect(routes.map(([, { method, path }]) => `${method} ${path}`)).toEqual([
      'GET /api/webhooks',
      'POST /api/webhooks',
      'POST /api/webhooks/test-receiver',
      'GET /api/webhooks/:id',
      'PATCH /api/webhooks/:id',
      'DELETE /api/webhooks/:id',
      'POST /api/webhooks/:id/test',
      'POST /api/webhooks/:id/resume',
      'POST /api/webhooks/:id/rotate-secret',
      'GET /api/webhooks/:id/deliveries',
      'GET /api/webhooks/:id/deliveries/:deliveryId',
      'POST /api/webhooks/:id/deliveries/:deliveryId/resend',
    ]);
  });

  test.each(routes)('%s is 403 for editors and viewers', async (_name, route) => {
    for (const role of ['editor', 'viewer'] as const) {
      const { email } = await service.addMember(role);
      const answer = await request(email, route, { id: 'whk_1', deliveryId: 'whd_1' });
      expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    }
  });

  test('an admin may do all of it', async () => {
    const { email } = await service.addMember('admin');
    const browser = service.browser();
    await browser.signIn(email);
    const { body } = await browser.post('/api/webhooks', { url: hook, events });
    expect((await browser.get('/api/webhooks')).body.webhooks).toHaveLength(1);
    expect((await browser.delete(`/api/webhooks/${body.id}`)).status).toBe(200);
  });

  test('a webhook of another workspace is not there', async () => {
    const address = receiver.address();
    const webhook = await others.addWebhook(address.url);
    const { id: deliveryId } = await webhook.test();
    const stranger = await newTeam(service);
    const own = await stranger.addWebhook(hook);
    const browser = stranger.browser();
    const path = `/api/webhooks/${webhook.id}`;
    for (const answer of [
      await browser.get(path),
      await browser.patch(path, { events }),
      await browser.delete(path),
      await browser.post(`${path}/test`),
      await browser.post(`${path}/resume`),
      await browser.post(`${path}/rotate-secret`),
      await browser.get(`${path}/deliveries`),
      await browser.get(`${path}/deliveries/${deliveryId}`),
      await browser.get(`/api/webhooks/${own.id}/deliveries/${deliveryId}`),
      await browser.post(`${path}/deliveries/${deliveryId}/resend`),
      await browser.post(`/api/webhooks/${own.id}/deliveries/${deliveryId}/resend`),
    ]) {
      expect(answer).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    }
    expect(await webhook.get()).toMatchObject({ state: 'active', events: ['post.published'] });
    await webhook.remove();
  });

  test('no agent has a tool for them', () => {
    expect(JSON.stringify([catalog, mcpTools])).not.toMatch(/webhook/i);
  });
});

describe('a workspace', () => {
  test('has at most ten webhooks, also when twelve are added at once', async () => {
    const team = await newTeam(service);
    const answers = await Promise.all(Array.from({ length: 12 }, () => add(team)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(200), 409, 409]);
    expect((await add(team)).body).toMatchObject({ code: 'Conflict', message: expect.stringContaining('Delete one') });
    const { webhooks } = (await team.browser().get('/api/webhooks')).body;
    expect(webhooks).toHaveLength(10);
    await team.browser().delete(`/api/webhooks/${webhooks[0].id}`);
    expect((await add(team)).status).toBe(200);
  });

  test('has fewer when its plan says so; the message says what lifts it', async () => {
    const team = await newTeam(service);
    allowed.set(team.workspaceId, 1);
    await add(team);
    const answer = await add(team);
    expect(answer).toMatchObject({ status: 402, body: { code: 'PlanLimit' } });
    expect(answer.body.message).toMatch(/covers 1 webhook.*larger plan/);
  });

  test('after a move to a smaller plan keeps the oldest working; deliveries to the others fail with the reason', async () => {
    const team = await newTeam(service);
    const [kept, left] = [receiver.address(), receiver.address()];
    const [oldest, youngest] = [await team.addWebhook(kept.url), await team.addWebhook(left.url)] as [
      TeamWebhook,
      TeamWebhook,
    ];
    allowed.set(team.workspaceId, 1);
    await team.happen();
    await kept.nth(1);
    let delivery: Delivery | undefined;
    await until('the other has failed', async () => {
      [delivery] = await youngest.log();
      return delivery?.state === 'failed';
    });
    expect(delivery).toMatchObject({
      attempts: 0,
      lastAnswer: expect.stringMatching(/^Not sent\. The plan.*larger plan/),
    });
    expect(delivery).not.toHaveProperty('nextTryAt');
    expect(left.received()).toEqual([]);
    expect(await oldest.get()).not.toHaveProperty('reason');
    expect(await youngest.get()).toMatchObject({ state: 'active', reason: expect.stringContaining('larger plan') });
    allowed.set(team.workspaceId, 2);
    await youngest.resend(delivery?.id ?? '');
    await left.nth(1);
  });
});

describe('an address', () => {
  // outbound.test.ts covers all refused forms; these show that every way to set an address checks it.
  const refused = [
    'https://localhost/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::ffff:7f00:1]/',
    'http://example.com/',
    `http://127.0.0.1:${allowedPort}/`,
    'https://user:password@example.com/',
  ];

  test.each(refused)('%s is refused when added and when changed', async (url) => {
    for (const answer of [
      await add(others, { url }),
      await others.browser().patch(`/api/webhooks/${standing.id}`, { url }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { code: 'BadInput', issues: [{ path: 'url' }] } });
    }
    expect((await standing.get()).url).toBe(hook);
  });

  let standing: TeamWebhook;
  beforeAll(async () => {
    standing = await others.addWebhook(hook);
  });

  describe('on the internet', () => {
    const publicIp = '93.184.216.34';
    const certificate = selfSigned({ names: ['good.example.com', 'turning.example.com'] });
    const seen: string[] = [];
    let online: Service;
    let dialled: string[];
    let close: () => void;

    beforeAll(async () => {
      const answer: RequestListener = (req, res) => {
        seen.push(`${req.headers.host}${req.url}`);
        res.writeHead(req.url === '/fails' ? 500 : 204, { connection: 'close' }).end();
      };
      const server = createSecureServer(certificate, answer).listen(0, '127.0.0.1');
      await new Promise((listening) => server.once('listening', listening));
      close = () => {
        server.closeAllConnections();
        server.close();
      };
      const internet = pretendInternet({
        names: {
          'good.example.com': [[publicIp]],
          'turning.example.com': [[publicIp], ['169.254.169.254']],
          'private.example.com': [['10.0.0.7']],
          'mixed.example.com': [[publicIp, '127.0.0.1']],
          'wrong-name.example.com': [[publicIp]],
        },
        port: (server.address() as AddressInfo).port,
      });
      dialled = internet.dialled;
      online = await startService(
        { OUTBOUND_ALLOW: `127.0.0.1:${allowedPort}` },
        { internet: { ...internet, extraCa: certificate.cert } },
      );
      online.startJobs();
    });
    afterAll(async () => {
      await online.stop();
      close();
    });

    /** The log entry of a test delivery to this address, written to the database directly to skip the checks. */
    const tryAt = async (url: string) => {
      const webhook = await (await newTeam(online)).addWebhook('https://good.example.com/');
      await online.database.run(sql('test.url', 'update webhooks set url = $2 where id = $1'), [webhook.id, url]);
      await webhook.test();
      await until('it was tried', async () => (await webhook.log())[0].attempts === 1);
      return { webhook, delivery: (await webhook.log())[0] as Delivery };
    };

    test.each([
      ['', 'good.example.com/hook?a=b', 'https://good.example.com/hook?a=b'],
      [' at port 444', 'good.example.com:444/', 'https://good.example.com:444/'],
      [' at port 22', 'good.example.com:22/', 'https://good.example.com:22/'],
      [' with a dot at the end', 'good.example.com/dot', 'https://good.example.com./dot'],
    ])('is added and reached over TLS%s', async (_how, asked, url) => {
      await (await newTeam(online)).addWebhook(url);
      const { delivery } = await tryAt(url);
      expect(delivery).toMatchObject({ state: 'delivered', lastAnswer: 'HTTP 204' });
      expect(seen).toContain(asked);
    });

    test.each(refused)('%s is not reached, even if it stands in the database', async (url) => {
      const before = dialled.length;
      const { delivery } = await tryAt(url);
      expect(delivery).toMatchObject({ state: 'pending', lastAnswer: expect.stringMatching(/address|port/) });
      expect(dialled).toHaveLength(before);
    });

    test.each(['private.example.com', 'mixed.example.com'])('%s is not dialled', async (host) => {
      const before = dialled.length;
      const { delivery } = await tryAt(`https://${host}/`);
      expect(delivery.lastAnswer).toBe('The address is not on the public internet.');
      expect(dialled).toHaveLength(before);
    });

    test('a name that turns private between two tries is not dialled again', async () => {
      const before = dialled.length;
      const { webhook, delivery } = await tryAt('https://turning.example.com/fails');
      expect(delivery.lastAnswer).toBe('HTTP 500');
      await online.clock.forward(61_000);
      await until('it was tried again', async () => (await webhook.log())[0].attempts === 2);
      expect((await webhook.log())[0].lastAnswer).toBe('The address is not on the public internet.');
      expect(dialled.slice(before)).toEqual([publicIp]);
    });

    test('a certificate for another name is a failure, and nothing was sent', async () => {
      const { delivery } = await tryAt('https://wrong-name.example.com/');
      expect(delivery).toMatchObject({ state: 'pending', lastAnswer: expect.stringContaining('certificate') });
      expect(seen.join()).not.toContain('wrong-name');
    });

    test('a name that nobody has is a failure', async () => {
      const { delivery } = await tryAt('https://gone.example.com/');
      expect(delivery).toMatchObject({ state: 'pending', lastAnswer: 'The host name was not found.' });
    });
  });
});

describe('the test receiver of the sandbox', () => {
  const path = '/api/webhooks/test-receiver';

  test('gets every event over HTTP, checks the signature, and the log shows its answer', async () => {
    const team = await newTeam(service);
    const { status, body } = await team.browser().post(path, {});
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { testReceiver: true, events: ['post.published', 'post.failed', 'account.disconnected'] },
    });
    expect(body).not.toHaveProperty('secret');
    await team.happen('post.failed');
    const log = async () => (await team.browser().get(`/api/webhooks/${body.id}/deliveries`)).body.deliveries;
    await until('it was delivered', async () => (await log())[0].state === 'delivered');
    expect(await log()).toMatchObject([{ type: 'post.failed', lastAnswer: 'HTTP 204' }]);

    // The new secret signs from now on, and the form sends the address back as it was.
    await team.browser().post(`/api/webhooks/${body.id}/rotate-secret`);
    const changed = await team.browser().patch(`/api/webhooks/${body.id}`, { url: body.url, events: ['post.failed'] });
    expect(changed.body).toMatchObject({ url: body.url, events: ['post.failed'] });
    await team.happen('post.failed');
    await until('both were delivered', async () => (await log()).every(({ state }: Delivery) => state === 'delivered'));
    expect((await log()).map(({ lastAnswer }: Delivery) => lastAnswer)).toEqual(['HTTP 204', 'HTTP 204']);
  });

  test('refuses what is not signed with its secret, too old, or for another webhook', async () => {
    const team = await newTeam(service);
    const { body } = await team.browser().post(path, {});
    const ordinary = await team.addWebhook(hook);
    const seconds = Math.floor(service.wallClock.now().getTime() / 1000);
    const send = (id: string, signature: string) =>
      fetch(`${service.url}/sandbox/receiver/${id}`, {
        method: 'POST',
        headers: { 'posthorn-signature': signature },
        body: '{}',
      });
    const sign = (secret: string, time: number) =>
      `t=${time},v1=${createHmac('sha256', secret).update(`${time}.{}`).digest('hex')}`;
    const { secret } = (await team.browser().post(`/api/webhooks/${body.id}/rotate-secret`)).body;
    expect((await send(body.id, sign(secret, seconds))).status).toBe(204);
    expect((await send(body.id, sign(secret, seconds - 301))).status).toBe(400);
    expect((await send(body.id, sign(ordinary.secret, seconds))).status).toBe(400);
    for (const signature of ['', 't=,v1=', `t=${seconds},v1=00`, 'v1=']) {
      expect((await send(body.id, signature)).status).toBe(400);
    }
    expect((await send(ordinary.id, sign(ordinary.secret, seconds))).status).toBe(404);
    expect((await send('whk_none', sign(secret, seconds))).status).toBe(404);
  });

  test('exists once in a workspace, and not in production', async () => {
    const team = await newTeam(service);
    const first = await team.browser().post(path, {});
    expect((await team.browser().post(path, {})).body.id).toBe(first.body.id);
    expect((await team.browser().get('/api/webhooks')).body.webhooks).toHaveLength(1);
    const production = await startService({ SIGN_INS_PER_HOUR: '1000' }, { production: true });
    const owner = production.browser();
    await owner.signIn();
    expect(await owner.post(path, {})).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    await production.stop();
  });
});

describe('forwarding to a program of the operator', () => {
  const startProgram = async (answer: RequestListener) => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
  };
  const follow = (team: Team, url: string, signal: AbortSignal) =>
    openForwarding({ database: service.database, clock: service.clock, wallClock: service.clock }).follow(
      team.workspaceId,
      url,
      signal,
    );

  test('begins with a ping, and each event of its workspace from then on comes once, also one committed late', async () => {
    const team = await newTeam(service);
    const { server, url } = await startProgram((_req, res) => res.writeHead(200).end());
    await team.happen('post.failed', { post: { id: 'post_before' } });
    const end = new AbortController();
    const events = follow(team, url, end.signal);
    const next = async () => (await events.next()).value?.event;
    expect(await next()).toMatchObject({ type: 'ping' });
    let commit = () => {};
    const data = jsonOf({ post: { id: 'post_late' } });
    const write = () => service.posthorn.events.write([{ workspaceId: team.workspaceId, type: 'post.failed', data }]);
    let isWritten = false;
    const transaction = service.database.transaction(async () => {
      await write();
      isWritten = true;
      await new Promise<void>((resolve) => {
        commit = resolve;
      });
    });
    await until('it is written, not committed', () => isWritten);
    await others.happen();
    await team.happen('post.published', { post: { id: 'post_early' } });
    expect((await next())?.data.value).toEqual({ post: { id: 'post_early' } });
    commit();
    await transaction;
    expect((await next())?.data.value).toEqual({ post: { id: 'post_late' } });
    await team.happen('account.disconnected', { account: { id: 'acct_1' } });
    expect(await next()).toMatchObject({ type: 'account.disconnected' });
    const last = events.next();
    end.abort();
    expect(await last).toMatchObject({ done: true });
    server.close();
  });

  test('says what a program answered, and goes on when there is none', async () => {
    const team = await newTeam(service);
    const { server, url } = await startProgram((_req, res) => res.writeHead(302, { location: '/elsewhere' }).end());
    const end = new AbortController();
    const events = follow(team, url, end.signal);
    expect((await events.next()).value).toMatchObject({ answer: 'HTTP 302' });
    server.closeAllConnections();
    server.close();
    await team.happen();
    expect((await events.next()).value?.answer).toMatch(/^No answer: connect ECONNREFUSED/);
    end.abort();
    expect(await events.next()).toMatchObject({ done: true });
  });

  test('each event comes on a connection of its own, since the program may have been restarted', async () => {
    const team = await newTeam(service);
    const ports = new Set<number | undefined>();
    const { server, url } = await startProgram((req, res) => {
      ports.add(req.socket.remotePort);
      res.writeHead(200).end();
    });
    const end = new AbortController();
    const events = follow(team, url, end.signal);
    await events.next();
    await team.happen();
    await events.next();
    expect(ports.size).toBe(2);
    end.abort();
    server.close();
  });
});
