import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { catalog } from '#generated/catalog';
import { readContracts } from '#scripts/contracts';
import { createRateLimits } from '#server/access/auth/rate-limit';
import { createCountStore } from '#server/access/auth/rate-limit-store';
import { createHttpServer } from '#server/doors/http/server';
import { type Service, startService } from '#test/support/service';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const authorized = () => ({ authorization: `Bearer ${service.token}` });

test('the sandbox reads no body but its own', async () => {
  const body = `{"text": "${'a'.repeat(2_000_000)}`;
  const headers = { 'content-type': 'application/json' };
  const { status, body: answer } = await service.request('POST', '/nowhere', { headers, body });
  expect({ status, code: answer.code }).toEqual({ status: 404, code: 'NotFound' });
});

describe('GET /api/agent/tools', () => {
  test('returns a JSON array of the actions with name, description, policy and inputSchema', async () => {
    const { status, body } = await service.request('GET', '/api/agent/tools', { headers: authorized() });
    expect(status).toBe(200);
    expect(body).toEqual(catalog);
    for (const entry of body) expect(Object.keys(entry)).toEqual(['name', 'description', 'policy', 'inputSchema']);
  });

  test('says whom the token stands for', async () => {
    const { userId, workspaceId } = service.owner;
    expect(await service.client.whoAmI()).toEqual({ userId, workspaceId, workspaceName: 'Demo', role: 'owner' });
  });

  test('needs a token', async () => {
    expect((await service.request('GET', '/api/agent/tools')).body.code).toBe('Unauthorized');
  });
});

describe('the request id', () => {
  test('is in every answer, and is new for every request', async () => {
    const ids = new Set<string | null>();
    for (const path of [
      '/healthz',
      '/readyz',
      '/docs',
      '/openapi.json',
      '/api/agent/tools',
      '/api/nothing',
      '/%ff',
      '/',
    ]) {
      ids.add((await service.request('GET', path)).headers.get('x-request-id'));
    }
    expect(ids.size).toBe(8);
    expect([...ids].every((id) => id && id.length >= 16)).toBe(true);
  });

  test('that the caller sends is reused', async () => {
    const { headers } = await service.call('posts.list', {}, { 'x-request-id': 'my-id_1.2' });
    expect(headers.get('x-request-id')).toBe('my-id_1.2');
  });

  test('that is long or strange is replaced', async () => {
    for (const id of ['a'.repeat(65), 'a b', 'ä', '<script>', '']) {
      const { headers } = await service.call('posts.list', {}, { 'x-request-id': id });
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test('is in the log line of the request, which holds no secret', async () => {
    await service.call('posts.create', { body: 'a private text' }, { 'x-request-id': 'find-me' });
    const line = service.logLines.find((one) => one.includes('find-me'));
    expect(JSON.parse(line ?? '')).toMatchObject({
      requestId: 'find-me',
      path: '/api/agent/tools/posts.create',
      status: 200,
    });
    await service.request('GET', '/healthz?token=posthorn_pat_secret');
    expect(service.logLines.join()).not.toMatch(/posthorn_pat_|a private text/);
  });
});

describe('a declared path', async () => {
  const { routes, raw } = await readContracts(process.cwd());
  const methods = new Map<string, string[]>();
  const add = (path: string, ...more: string[]) => methods.set(path, [...(methods.get(path) ?? []), ...more]);
  for (const { route } of routes) add(route.path, route.method);
  // /mcp says so itself, see mcp.test.ts.
  for (const { route } of raw) if (route.methods !== 'Every') add(route.path, ...route.methods);

  test.each([...methods])('%s answers 405 with Allow to any method but %j', async (path, allowed) => {
    const filled = path.replaceAll(/:\w+/g, 'x_1');
    const { status, headers, body } = await service.request('PUT', filled);
    expect({ status, code: body.code }).toEqual({ status: 405, code: 'BadInput' });
    expect(headers.get('allow')?.split(', ').toSorted()).toEqual(allowed.toSorted());
    for (const method of allowed.filter((one) => one !== 'HEAD')) {
      const answer = await service.request(method, filled);
      expect(answer.status, method).not.toBe(405);
      if (answer.status === 404) expect(answer.body.message).not.toContain('There is nothing at');
    }
  });
});

describe('the error shape', () => {
  test.each([
    ['GET', '/api/nothing', 404, 'NotFound'],
    ['POST', '/api/agent', 404, 'NotFound'],
    ['GET', '/nothing', 404, 'NotFound'],
    ['GET', '/docs/nothing', 404, 'NotFound'],
    ['GET', '/auth/nothing', 404, 'NotFound'],
    ['DELETE', '/auth/token', 404, 'NotFound'],
    ['GET', '/api/agent/tools/posts.list', 405, 'BadInput'],
    ['DELETE', '/api/agent/tools/posts.list', 405, 'BadInput'],
    ['POST', '/api/agent/tools', 405, 'BadInput'],
    ['POST', '/healthz', 405, 'BadInput'],
    ['PUT', '/openapi.json', 405, 'BadInput'],
    ['POST', '/api/agent/tools/%ff', 400, 'BadInput'],
  ])('%s %s is %i %s', async (method, path, status, code) => {
    const answer = await service.request(method, path, { headers: authorized() });
    expect({ status: answer.status, body: answer.body }).toEqual({
      status,
      body: { code, message: expect.any(String), issues: expect.any(Array) },
    });
    if (status === 405) expect(answer.headers.get('allow')).toBeTruthy();
  });

  test.each([
    'nope',
    '__proto__',
    'constructor',
    'toString',
    'posts_create',
    'POSTS.CREATE',
    'posts.create.',
    '..%2fx',
    'posts.list%00',
    '%00',
  ])('for the action %s is 404 UnknownAction', async (name) => {
    const { status, body } = await service.call(name);
    expect({ status, code: body.code }).toEqual({ status: 404, code: 'UnknownAction' });
  });

  test('an unknown action is not told to strangers', async () => {
    expect((await service.request('POST', '/api/agent/tools/nope')).body.code).toBe('Unauthorized');
  });

  test.each([
    ['something that is not HTTP', 400, 'nonsense\r\n\r\n'],
    ['headers of 20 KB', 400, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`],
    ['two lengths', 400, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}'],
    [
      'a length and chunks',
      400,
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['no Host', 400, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['an unknown expectation', 400, 'GET /healthz?a=%00 HTTP/1.1\r\nHost: a\r\nExpect: a\r\nConnection: close\r\n\r\n'],
    ['a line break in a header', 400, 'GET /healthz HTTP/1.1\r\nHost: a\r\nX-Request-Id: a\nb\r\n\r\n'],
  ])('stands also in the answer to %s', async (_what, status, bytes) => {
    const { port, hostname } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    socket.end(bytes);
    const answer = await text(socket);
    expect(Number(answer.split(' ')[1])).toBe(status);
    expect(answer).toMatch(/\r\nx-request-id: [0-9a-f-]{36}\r\n/i);
    const body = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    expect(body).toEqual({ code: 'BadInput', message: expect.any(String), issues: expect.any(Array) });
  });
});

describe('an Idempotency-Key', () => {
  const key = () => ({ 'idempotency-key': crypto.randomUUID() });

  test('gives no earlier answer to somebody whose role no longer allows the action', async () => {
    const { userId, token } = await service.addMember('editor');
    const headers = { authorization: `Bearer ${token}`, ...key() };
    const create = () => service.call('posts.create', { body: 'Once' }, headers);
    expect((await create()).status).toBe(200);
    const owner = service.browser();
    await owner.signIn();
    await owner.patch(`/api/app/members/${userId}`, { role: 'viewer' });
    expect(await create()).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    await owner.patch(`/api/app/members/${userId}`, { role: 'editor' });
    const again = await create();
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  });

  test('with the same body returns the first answer and does the work once', async () => {
    const headers = key();
    const before = await service.count('posts');
    const first = await service.call('posts.create', { body: 'Once' }, headers);
    const again = await service.call('posts.create', { body: 'Once' }, headers);
    expect(again.body).toEqual(first.body);
    expect([first, again].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([null, 'true']);
    expect(await service.count('posts')).toBe(before + 1);
  });

  test('returns the first answer byte for byte', async () => {
    const headers = {
      ...key(),
      authorization: `Bearer ${service.token}`,
      'content-type': 'application/json',
    };
    const account = await service.addAccount('x');
    const body = JSON.stringify({ accountIds: [account], body: 'Same bytes', scheduledAt: '2099-01-01T00:00:00Z' });
    const ask = async () =>
      (await fetch(`${service.url}/api/agent/tools/posts.create`, { method: 'POST', headers, body })).text();
    const first = await ask();
    expect(first).toMatch(/^\{"id":"post_/);
    expect(await ask()).toBe(first);
  });

  test('sent ten times at once does the work once', async () => {
    const headers = key();
    const before = await service.count('posts');
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.call('posts.create', {}, headers)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(await service.count('posts')).toBe(before + 1);
  });

  test('with another body, or for another action, is a Conflict', async () => {
    const headers = key();
    const { body: post } = await service.call('posts.create', { body: 'One' }, headers);
    expect((await service.call('posts.create', { body: 'Two' }, headers)).body.code).toBe('Conflict');
    expect((await service.call('posts.setVersionText', { id: post.id, body: 'One' }, headers)).body.code).toBe(
      'Conflict',
    );
  });

  test('of work that failed can be used again', async () => {
    const headers = key();
    expect((await service.call('posts.setVersionText', { id: 'post_none', body: '' }, headers)).status).toBe(404);
    const input = { accountIds: ['acct_none'] };
    expect((await service.call('posts.create', input, headers)).status).toBe(400);
    expect((await service.call('posts.create', {}, headers)).status).toBe(200);
  });

  test('is forgotten after 24 hours', async () => {
    const headers = key();
    const first = await service.call('posts.create', {}, headers);
    await service.clock.forward(24 * 3_600_000 + 1000);
    const later = await service.call('posts.create', {}, headers);
    expect(later.body.id).not.toBe(first.body.id);
    await service.posthorn.answers.purge();
    expect(await service.count('idempotent_answers')).toBe(1);
  });

  test('belongs to its user', async () => {
    const headers = key();
    const { token } = await service.addMember('editor');
    const mine = await service.call('posts.create', {}, headers);
    const theirs = await service.call('posts.create', {}, { ...headers, authorization: `Bearer ${token}` });
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  test('that nobody could mean is BadInput', async () => {
    for (const bad of ['a'.repeat(256), 'a b']) {
      const { body } = await service.call('posts.create', {}, { 'idempotency-key': bad });
      expect(body).toMatchObject({ code: 'BadInput', issues: [{ path: 'Idempotency-Key' }] });
    }
  });
});

describe('a deadlock in the database', () => {
  test('is TooManyRequests with the time to come again, for one statement and for many, and nothing is written', async () => {
    const own = await startService();
    const { body: post } = await own.call('posts.create', { body: 'first' });
    await own.database.script(`
      create function refuse() returns trigger language plpgsql as $$ begin
        raise exception 'deadlock detected' using errcode = '40P01';
      end $$;
      create trigger refuse before insert or update on posts for each statement execute function refuse();`);
    const versions = [{ content: [{ body: 'changed' }] }];
    const change = { id: post.id, baseUpdatedAt: post.updatedAt, accountIds: [], versions };
    const requests = [
      ['posts.create', { body: 'second' }],
      ['posts.update', change],
    ] as const;
    for (const [action, input] of requests) {
      const { status, body, headers } = await own.call(action, input);
      expect({ action, status, code: body.code }).toEqual({ action, status: 429, code: 'TooManyRequests' });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    await own.database.script('drop trigger refuse on posts');
    expect((await own.client.posts.list()).posts).toMatchObject([{ id: post.id, updatedAt: post.updatedAt }]);
    for (const [action, input] of requests) expect((await own.call(action, input)).status, action).toBe(200);
    await own.stop();
  });
});

describe('the rate limit', () => {
  test('is told in every API answer', async () => {
    const { headers } = await service.call('posts.list');
    expect(headers.get('ratelimit-policy')).toBe('"api";q=100000;w=60');
    expect(headers.get('ratelimit')).toMatch(/^"api";r=\d+;t=\d+$/);
  });

  test('once used up answers 429 with Retry-After, per token, until the minute is over', async () => {
    const limited = await startService({ REQUESTS_PER_MINUTE: '3' });
    const other = await limited.addMember('editor');
    limited.wallClock.toNext(60_000);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await limited.call('posts.list')).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const { body, headers } = await limited.call('posts.list');
    expect(body.code).toBe('TooManyRequests');
    const wait = Number(headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect((await limited.call('posts.list', {}, { authorization: `Bearer ${other.token}` })).status).toBe(200);
    limited.wallClock.forward(wait * 1000);
    expect((await limited.call('posts.list')).status).toBe(200);
    await limited.stop();
  });

  test('holds for all instances together, once they have shared what they counted', async () => {
    const store = createCountStore(service.database);
    let now = new Date('2026-01-02T03:04:05Z');
    const clock = { now: () => now };
    const instances = Array.from({ length: 3 }, () => createRateLimits({ store, clock }));
    const limits = instances.map(({ create }) => create({ name: 'shared', limit: 6, windowMs: 3_600_000 }));
    const [one, other, third] = limits;
    const share = async () => {
      for (const instance of instances) await instance.share();
    };
    for (const limit of limits) limit.mustHaveLeft('somebody');
    for (const limit of limits) limit.mustHaveLeft('somebody');
    await share();
    expect(() => third?.mustHaveLeft('somebody')).toThrow('More than 6 requests');
    other?.mustHaveLeft('somebody else');
    // The first instance only knows its own two requests so far; sharing its next count tells it about the rest.
    one?.mustHaveLeft('somebody');
    await share();
    expect(() => one?.mustHaveLeft('somebody')).toThrow('More than 6 requests');
    now = new Date('2026-01-02T04:04:05Z');
    one?.mustHaveLeft('somebody');
    expect(await instances[0]?.purge()).toBe(2);
  });
});

describe('the address of a stranger', () => {
  const statuses = async (limited: Service) => {
    const seen = [];
    limited.wallClock.toNext(60_000);
    for (let i = 0; i < 4; i++) {
      const headers = { 'x-forwarded-for': `203.0.113.${i}` };
      seen.push((await limited.request('GET', '/api/agent/tools', { headers })).status);
    }
    return seen;
  };

  test('is not what X-Forwarded-For says', async () => {
    const limited = await startService({ REQUESTS_PER_MINUTE: '3' });
    expect(await statuses(limited)).toEqual([401, 401, 401, 429]);
    await limited.stop();
  });

  test('is what a trusted proxy says', async () => {
    const limited = await startService({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' });
    expect(await statuses(limited)).toEqual([401, 401, 401, 401]);
    await limited.stop();
  });
});

describe('health', () => {
  test('GET /healthz answers the text ok', async () => {
    const { status, body, headers } = await service.request('GET', '/healthz');
    expect({ status, body }).toEqual({ status: 200, body: 'ok' });
    expect(headers.get('content-type')).toMatch(/^text\/plain/);
  });

  test('GET /readyz answers 200 only while the instance is not shutting down', async () => {
    const other = await startService();
    expect(await other.request('GET', '/readyz')).toMatchObject({ status: 200, body: 'ready' });
    other.health.beginStop();
    expect(await other.request('GET', '/readyz')).toMatchObject({ status: 503, body: 'shutting down' });
    expect((await other.request('GET', '/healthz')).status).toBe(200);
    await other.stop();
  });

  test('GET /readyz answers 200 only while the database responds', async () => {
    const other = await startService();
    await other.database.close();
    expect(await other.request('GET', '/readyz')).toMatchObject({ status: 503, body: 'the database does not answer' });
    await other.stop();
  });

  test('an action that the database fails is 500 Internal', async () => {
    const other = await startService();
    await other.database.script('alter table posts rename to articles');
    const { status, body } = await other.call('posts.list');
    expect({ status, code: body.code, issues: body.issues }).toEqual({ status: 500, code: 'Internal', issues: [] });
    expect(body.message).toContain('x-request-id');
    await other.stop();
  });
});

describe('what browsers see', () => {
  test('GET /openapi.json is the document, with this server in it', async () => {
    const { body } = await service.request('GET', '/openapi.json');
    expect(body.openapi).toMatch(/^3\.1/);
    expect(body.servers).toEqual([{ url: 'http://posthorn.test', description: 'This server' }]);
    expect(Object.keys(body.paths)).toContain('/api/agent/tools/posts.create');
    expect(Object.keys(body.webhooks)).toEqual(['post.published', 'post.failed', 'account.disconnected', 'ping']);
  });

  test('GET /openapi-app.json has the routes of the app, and none of the API', async () => {
    const { body: api } = await service.request('GET', '/openapi.json');
    const { body: app } = await service.request('GET', '/openapi-app.json');
    const operations = ({ paths }: { paths: object }) =>
      Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`));
    expect(operations(app)).toContain('post /api/approvals/{id}/approve');
    expect(operations(app).filter((one) => operations(api).includes(one))).toEqual([]);
  });

  test('the document is compressed for who accepts that, and is not sent again to who has it', async () => {
    const { headers } = await service.request('GET', '/openapi.json');
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(Number(headers.get('content-length'))).toBeLessThan(30_000);
    const etag = headers.get('etag') ?? '';
    const again = await service.request('GET', '/openapi.json', { headers: { 'if-none-match': etag } });
    expect([again.status, again.body]).toEqual([304, '']);
    const plain = await service.request('GET', '/openapi.json', { headers: { 'accept-encoding': 'gzip;q=0' } });
    expect([plain.headers.get('content-encoding'), plain.body.openapi]).toEqual([null, '3.1.1']);
  });

  test('an answer of more than 1 kB is compressed, a small one is not', async () => {
    const limits = await service.call('providers.limits');
    expect(limits.headers.get('content-encoding')).toBe('gzip');
    expect(Number(limits.headers.get('content-length'))).toBeLessThan(10_000);
    expect(limits.body.providers).toHaveLength(13);
    expect((await service.call('ui.getContext')).headers.get('content-encoding')).toBeNull();
    const plain = await service.call('providers.limits', {}, { 'accept-encoding': 'identity' });
    expect(plain.headers.get('content-encoding')).toBeNull();
  });

  test('a connection is kept for longer than load balancers keep theirs', async () => {
    expect(createHttpServer(express()).keepAliveTimeout).toBeGreaterThan(60_000);
  });

  test('pages of other origins may use the API with a token when CORS_ORIGINS names them, and not otherwise', async () => {
    const other = await startService({ CORS_ORIGINS: 'https://tools.example.com' });
    const ask = (origin: string, method: string, path: string, more = {}) =>
      other.request(method, path, { headers: { origin, ...more } });
    const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
    const tool = '/api/agent/tools/posts.list';
    const allowed = await ask('https://tools.example.com', 'OPTIONS', tool, preflight);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([
      204,
      'https://tools.example.com',
    ]);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('Idempotency-Key');
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull();
    const authorization = `Bearer ${other.token}`;
    const catalog = await ask('https://tools.example.com', 'GET', '/api/agent/tools', { authorization });
    const listed = await ask('https://tools.example.com', 'POST', tool, { authorization });
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([
      200,
      'https://tools.example.com',
    ]);
    expect(catalog.headers.get('access-control-expose-headers')).toContain('Posthorn-Workspace');
    for (const [origin, path] of [
      ['https://evil.example.com', tool],
      ['https://tools.example.com', '/api/app/session'],
      ['https://tools.example.com', '/mcp'],
    ] as const) {
      const { headers } = await ask(origin, 'OPTIONS', path, preflight);
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
    await other.stop();
    const none = await service.request('OPTIONS', tool, {
      headers: { origin: 'https://tools.example.com', ...preflight },
    });
    expect(none.headers.get('access-control-allow-origin')).toBeNull();
  });

  test('/docs loads nothing from elsewhere', async () => {
    const { status, body, headers } = await service.request('GET', '/docs');
    expect(status).toBe(200);
    expect(body).not.toMatch(/https?:\/\//);
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'self'/);
    for (const [, script] of body.matchAll(/src="([^"]+)"/g)) {
      expect((await service.request('GET', script)).status).toBe(200);
    }
  });

  test('every answer forbids framing and sniffing, and API answers are not cached', async () => {
    for (const path of ['/docs', '/api/agent/tools', '/healthz', '/nothing']) {
      const { headers } = await service.request('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('x-powered-by')).toBeNull();
    }
    expect((await service.call('posts.list')).headers.get('cache-control')).toBe('no-store');
  });
});
