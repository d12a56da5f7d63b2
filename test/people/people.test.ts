import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nameOfBrowser } from '#server/access/auth/sessions';
import { bounds } from '#server/base/bounds';
import { createMovableClock } from '#server/base/clock';
import { type Statement, sql } from '#server/base/store/database';
import { lockAwaited } from '#test/support/locks';
import { openPosthorn } from '#test/support/posthorn';
import { type Answer, type Service, startService } from '#test/support/service';
import { otherAddress } from '#web/base/other-address.ts';

const dayMs = 24 * 3_600_000;
const production = { NODE_ENV: 'production', EMBEDDED_DATABASE: 'true', BASE_URL: 'https://posthorn.example.com' };
const from = (address: string) => ({ 'x-forwarded-for': address });

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '100000', TRUST_PROXY: '1' });
});
afterAll(() => service.stop());

const signedIn = async (email?: string) => {
  const browser = service.browser();
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
};

type Browser = ReturnType<Service['browser']>;

const eventsIn = async (browser: Browser) =>
  (await browser.get('/api/app/audit')).body.entries.map(({ event }: { event: string }) => event) as string[];

describe('guessing a password', () => {
  const guess = (email: string, address: string, password = 'wrong password') =>
    service.browser().post('/api/auth/sign-in', { email, password }, from(address));
  const guesses = async (count: number, email: string, address: string) => {
    const statuses = [];
    for (let i = 0; i < count; i++) statuses.push((await guess(email, address)).status);
    return statuses;
  };

  test('takes a growing wait after the fifth wrong one, from that network alone', async () => {
    const { email } = await service.addMember('editor');
    expect(await guesses(5, email, '198.51.100.1')).toEqual([401, 401, 401, 401, 401]);
    const refused = await guess(email, '198.51.100.1', 'correct horse');
    expect(refused).toMatchObject({ status: 429, body: { code: 'TooManyRequests' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // An attacker elsewhere cannot lock the owner of the account out.
    expect((await guess(email, '198.51.100.2', 'correct horse')).status).toBe(200);
    const waits = [];
    for (let i = 0; i < 9; i++) {
      service.wallClock.forward(1_000_000);
      await guess(email, '198.51.100.1');
      waits.push(Number((await guess(email, '198.51.100.1')).headers.get('retry-after')));
    }
    expect(waits).toEqual(waits.toSorted((a, b) => a - b));
    expect(waits.at(-1)).toBeGreaterThan(800);
    expect(waits.at(-1)).toBeLessThanOrEqual(900);
    service.wallClock.forward(901_000);
    expect((await guess(email, '198.51.100.1', 'correct horse')).status).toBe(200);
    // The right password resets the count.
    expect(await guesses(4, email, '198.51.100.1')).toEqual([401, 401, 401, 401]);
  });

  test('counts together however the address is written', async () => {
    const { email } = await service.addMember('editor');
    const ways = [email, ` ${email}`, `${email}\u00a0`, `\ufeff${email}`, email.toUpperCase(), `\u200b${email}`];
    const statuses = [];
    for (const way of ways) statuses.push((await guess(way, '198.51.100.3')).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
  });

  test('counts an IPv6 household together', async () => {
    const { email } = await service.addMember('editor');
    const statuses = [];
    for (let i = 1; i < 7; i++) statuses.push((await guess(email, `2001:db8:0:7::${i}`)).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await guess(email, '2001:db8:0:8::1')).status).toBe(401);
    const left = async (address: string) => {
      const { headers } = await service.request('GET', '/api/agent/tools', { headers: from(address) });
      return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    };
    service.wallClock.toNext(60_000);
    const before = await left('2001:db8:0:9::1');
    expect(await left('2001:db8:0:9::2')).toBe(before - 1);
  });

  test('at once is worth no more than one after the other', async () => {
    const { email } = await service.addMember('editor');
    for (let i = 0; i < 14; i++) {
      await guess(email, '198.51.100.4');
      service.wallClock.forward(1_000_000);
    }
    const statuses = (await Promise.all(Array.from({ length: 10 }, () => guess(email, '198.51.100.4')))).map(
      ({ status }) => status,
    );
    expect(statuses.toSorted()).toEqual([401, ...Array(9).fill(429)]);
  });

  test('is counted where an invitation is accepted and where a password is changed', async () => {
    const other = await service.addWorkspace();
    const owner = await signedIn();
    const { body } = await owner.post('/api/app/invitations', { email: other.email, role: 'viewer' });
    const token = body.url.split('/').at(-1);
    const accept = (password: string) =>
      service.browser().post('/api/auth/invitations/accept', { token, password }, from('198.51.100.5'));
    // Other errors do not count as attempts.
    expect((await accept('short')).body).toMatchObject({ code: 'BadInput', issues: [{ path: 'password' }] });
    for (let i = 0; i < 3; i++) expect((await accept('a wrong password')).status).toBe(401);
    const browser = await signedIn(other.email);
    const change = { current: 'wrong', next: 'another password' };
    for (let i = 0; i < 2; i++) {
      expect((await browser.post('/api/auth/password', change, from('198.51.100.5'))).body.code).toBe('BadInput');
    }
    expect((await browser.post('/api/auth/password', change, from('198.51.100.5'))).status).toBe(429);
    expect((await accept('correct horse')).status).toBe(429);
    expect((await guess(other.email, '198.51.100.5', 'correct horse')).status).toBe(429);
    const events = await eventsIn(browser);
    expect(events.filter((event) => event === 'invitation.failed')).toHaveLength(3);
    expect(events.filter((event) => event === 'password.failed')).toHaveLength(2);
  });

  test('is forgotten after a day, also from the table', async () => {
    const { email } = await service.addMember('editor');
    await guesses(5, email, '198.51.100.6');
    service.wallClock.forward(dayMs + 1000);
    expect((await guesses(4, email, '198.51.100.6')).at(-1)).toBe(401);
    service.wallClock.forward(dayMs + 1000);
    expect(await service.posthorn.tries.purge()).toBeGreaterThan(0);
    expect(await service.database.query(sql('test.tries', 'select 1 from password_tries'))).toEqual([]);
  });
});

describe('the sandbox clock', () => {
  test('moved by a month signs nobody out and ends no invitation', async () => {
    const own = await startService();
    const browser = own.browser();
    await browser.signIn();
    const { body } = await browser.post('/api/app/invitations', { email: 'late@example.com', role: 'viewer' });
    await own.clock.forward(30 * dayMs);
    expect((await browser.get('/api/auth/session')).status).toBe(200);
    const token = body.url.split('/').at(-1);
    const accept = { token, password: 'correct horse' };
    expect((await own.browser().post('/api/auth/invitations/accept', accept)).status).toBe(200);
    await own.stop();
  });

  test('is moved by whoever set Posthorn up, and by no other owner', async () => {
    const own = await startService();
    const other = await own.addWorkspace();
    const stranger = own.browser();
    await stranger.signIn(other.email);
    const before = own.clock.now();
    const step = { forwardMs: dayMs };
    expect(await stranger.post('/api/app/sandbox/clock', step)).toMatchObject({
      status: 403,
      body: { code: 'Forbidden', message: expect.stringContaining('set Posthorn up') },
    });
    expect(own.clock.now().getTime() - before.getTime()).toBeLessThan(dayMs);
    const owner = own.browser();
    expect((await owner.signIn()).body.user.operator).toBe(true);
    expect((await owner.post('/api/app/sandbox/clock', step)).status).toBe(200);
    expect(own.clock.now().getTime() - before.getTime()).toBeGreaterThanOrEqual(dayMs);
    const { entries } = (await owner.get('/api/app/audit')).body;
    expect(entries).toContainEqual(expect.objectContaining({ event: 'clock.moved', details: step }));
    await own.stop();
  });

  test('stands while an account on a live network is connected, in any workspace', async () => {
    const own = await startService();
    const other = await own.addWorkspace();
    const account = await own.addAccount('mastodon', other.workspaceId);
    const setLive = (live: boolean) =>
      own.database.run(sql('test.live', 'update accounts set sandbox = $2 where id = $1'), [account, !live]);
    await setLive(true);
    await expect(own.posthorn.sandboxClock.forward(1000)).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('live network'),
    });
    await setLive(false);
    await own.posthorn.sandboxClock.forward(1000);
    await own.stop();
  });

  test('is ignored in production, in code and in the database, and closed for good', async () => {
    const own = await startService();
    await own.clock.forward(30 * dayMs);
    const clock = createMovableClock();
    const config = { ...own.config, production: true };
    const { sandboxClock } = openPosthorn({ ...own, config, clock, wallClock: clock });
    expect(await sandboxClock.close()).toBe(30 * dayMs);
    await sandboxClock.read();
    const aheadMs = async () => {
      const query = sql(
        'test.ahead',
        'select extract(epoch from posthorn_now() - clock_timestamp()) * 1000 as ms',
      ).holds<{ ms: string }>();
      return Number((await own.database.query(query))[0]?.ms);
    };
    expect(clock.now().getTime()).toBeLessThan(own.clock.now().getTime() - 29 * dayMs);
    expect(Math.abs(await aheadMs())).toBeLessThan(dayMs);
    // A development instance on the same database must not move the clock of a running production.
    await expect(own.posthorn.sandboxClock.forward(dayMs)).rejects.toMatchObject({
      code: 'Forbidden',
      message: expect.stringContaining('production'),
    });
    await expect(sandboxClock.forward(dayMs)).rejects.toMatchObject({ code: 'Forbidden' });
    expect(Math.abs(await aheadMs())).toBeLessThan(dayMs);
    expect(await sandboxClock.close()).toBe(0);
    await own.stop();
  });
});

describe('the first owner', () => {
  const first = { email: 'first@example.com', password: 'correct horse' };

  test('in production needs the code that start prints, once', async () => {
    const own = await startService(production, { empty: true });
    const signUp = (input: object) => own.browser().post('/api/auth/sign-up', input);
    for (const code of [undefined, '', 'guessed']) {
      expect(await signUp({ ...first, code })).toMatchObject({
        status: 403,
        body: { message: expect.stringContaining('code') },
      });
    }
    const code = (await own.posthorn.welcome.firstOwnerCode()) ?? '';
    // An invalid input does not use up the code.
    expect((await signUp({ ...first, email: 'nonsense', code })).body.code).toBe('BadInput');
    expect((await own.browser().get('/api/auth/entrance')).body).toEqual({
      empty: true,
      needsCode: true,
      outside: false,
      address: own.config.baseUrl,
      mail: false,
    });
    const { status, body } = await signUp({ ...first, code });
    expect({ status, operator: body.user?.operator }).toEqual({ status: 200, operator: true });
    expect((await signUp({ ...first, email: 'second@example.com', code })).status).toBe(403);
    expect(await own.posthorn.welcome.firstOwnerCode()).toBeUndefined();
    const rows = await own.database.query(sql('test.first', "select 1 from audit_log where event = 'owner.first'"));
    expect(rows).toHaveLength(1);
    await own.stop();
  });

  test('a code lasts a week, and one for signing in is none', async () => {
    const own = await startService(production, { empty: true });
    const code = (await own.posthorn.welcome.firstOwnerCode()) ?? '';
    expect((await own.browser().post('/api/auth/links/use', { secret: code })).status).toBe(404);
    own.wallClock.forward(7 * dayMs + 1000);
    expect((await own.browser().post('/api/auth/sign-up', { ...first, code })).status).toBe(403);
    await expect(own.posthorn.welcome.linkFor()).rejects.toThrow('posthorn setup');
    await own.stop();
  });

  test('outside production needs none', async () => {
    const own = await startService({}, { empty: true });
    expect((await own.browser().post('/api/auth/sign-up', first)).status).toBe(200);
    await own.stop();
  });
});

test('a page that was opened at another address than BASE_URL says so, and the log does once', async () => {
  const warnings = () =>
    service.logLines.filter((line) => line.includes('another address than BASE_URL')).map((line) => JSON.parse(line));
  const signIn = async (headers: Record<string, string>) => {
    const asked = request(`${service.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    asked.end(JSON.stringify({ email: 'owner@example.com', password: 'correct horse' }));
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    const body = JSON.parse(Buffer.concat(await answer.toArray()).toString()) as { message?: string };
    return { status: answer.statusCode, message: body.message };
  };
  const opened = (host: string, more = {}) => signIn({ host, origin: `http://${host}`, ...more });
  const sameOrigin = { 'sec-fetch-site': 'same-origin' };

  expect((await opened('posthorn.test')).status).toBe(200);
  expect((await opened('127.0.0.1:3000', sameOrigin)).status).toBe(200);
  expect((await opened('localhost:3000')).message).toContain('http://localhost:3000');
  expect((await signIn({ host: '10.0.0.7' })).status).toBe(403);
  const foreign = await signIn({ host: 'posthorn.test', origin: 'https://evil.example' });
  expect(foreign).toEqual({
    status: 403,
    message: 'This request comes from another site. Use the pages of Posthorn itself, at http://posthorn.test.',
  });
  expect(warnings()).toEqual([]);

  expect(await opened('192.168.1.5:3000')).toEqual({
    status: 403,
    message:
      'This page was opened at http://192.168.1.5:3000, but Posthorn is at http://posthorn.test. Open it there. If that is wrong, its operator sets BASE_URL to the address that people use.',
  });
  expect((await opened('social.example.com', sameOrigin)).status).toBe(200);
  expect(warnings()).toMatchObject([
    { level: 40, openedAt: 'http://192.168.1.5:3000', baseUrl: 'http://posthorn.test' },
  ]);
});

test.each([
  ['https://posthorn.example.com/sign-in', undefined],
  ['http://localhost:3000/sign-in', undefined],
  ['http://127.0.0.1:3000/', undefined],
  ['http://[::1]:3000/', undefined],
  ['http://posthorn.example.com/sign-in', 'https://posthorn.example.com'],
  ['https://posthorn.example.com:8443/', 'https://posthorn.example.com'],
  ['http://192.168.1.5:3000/sign-in', 'https://posthorn.example.com'],
])('the sign-in page at %s leads to %s', (here, there) => {
  expect(otherAddress(here, 'https://posthorn.example.com')).toBe(there);
});

describe('a one-time link', () => {
  const come = (path: string, browser = service.browser()) =>
    browser.post('/api/auth/links/use', { secret: path.split('/').at(-1) });

  test('lets the operator in once, within the hour, and then a new one does', async () => {
    const { path, email } = await service.posthorn.welcome.linkFor();
    expect(email).toBe('owner@example.com');
    const browser = service.browser();
    expect((await come(path, browser)).body.user).toMatchObject({ email, asksPassword: false });
    expect((await browser.get('/api/auth/session')).body.user).toMatchObject({ email, asksPassword: false });
    const used = await come(path);
    expect(used.status).toBe(404);
    expect(used.body.message).toContain('npx posthorn link');
    const again = await service.posthorn.welcome.linkFor();
    service.wallClock.forward(3_601_000);
    expect((await come(again.path)).status).toBe(404);
    expect(await eventsIn(browser)).toContain('link.used');
  });

  test('lets somebody set a new password who has lost theirs', async () => {
    const { email } = await service.addMember('editor');
    const { path } = await service.posthorn.welcome.linkFor(email);
    const browser = service.browser();
    await come(path, browser);
    expect((await browser.post('/api/auth/password', { next: 'a new password' })).status).toBe(200);
    expect((await service.browser().signIn(email, 'a new password')).status).toBe(200);
    const other = await signedIn();
    expect((await other.post('/api/auth/password', { next: 'a new password' })).status).toBe(400);
  });

  test('and being let in, being signed out and its entry in the audit log are one: who is killed leaves both or none', async () => {
    const own = await startService();
    const secret = (await own.posthorn.welcome.linkFor()).path.split('/').at(-1) ?? '';
    const browser = own.browser();
    const enter = () => browser.post('/api/auth/links/use', { secret });
    const cut = (table: string) =>
      own.database.script(`
        create function test_cut() returns trigger language plpgsql as $$ begin raise exception 'cut'; end $$;
        create trigger test_cut before insert on ${table} execute function test_cut();`);
    const mend = () => own.database.script('drop function test_cut cascade');
    await cut('sessions');
    expect((await enter()).status).toBe(500);
    await mend();
    expect((await enter()).status).toBe(200);
    const other = own.browser();
    await other.signIn();
    const { sessions } = (await browser.get('/api/app/sessions')).body;
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    await cut('audit_log');
    expect((await browser.delete(`/api/app/sessions/${id}`)).status).toBe(500);
    expect((await other.post('/api/auth/sign-out')).status).toBe(500);
    await mend();
    expect((await other.get('/api/auth/session')).status).toBe(200);
    expect((await other.post('/api/auth/sign-out')).status).toBe(200);
    await own.stop();
  });

  test('replaces the one before, and is for somebody who is here', async () => {
    const { email } = await service.addMember('editor');
    const before = await service.posthorn.welcome.linkFor(email);
    const after = await service.posthorn.welcome.linkFor(email.toUpperCase());
    expect((await come(before.path)).status).toBe(404);
    expect((await come(after.path)).status).toBe(200);
    await expect(service.posthorn.welcome.linkFor('nobody@example.com')).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('is not used up by a program that only looks at it, nor from another site', async () => {
    const { path } = await service.posthorn.welcome.linkFor();
    await service.browser().get(path);
    const secret = path.split('/').at(-1);
    const elsewhere = { origin: 'https://evil.example' };
    expect((await service.browser().post('/api/auth/links/use', { secret }, elsewhere)).status).toBe(403);
    expect((await come(path)).status).toBe(200);
  });

  test('and an invitation are not in the log', async () => {
    const { path } = await service.posthorn.welcome.linkFor();
    const owner = await signedIn();
    const { body } = await owner.post('/api/app/invitations', { email: 'logged@example.com', role: 'viewer' });
    const secret = body.url.split('/').at(-1);
    await service.browser().get(`/invitations/${secret}`);
    await service.browser().get(path);
    const log = service.logLines.join('');
    expect(log).toContain('/invitations/…');
    expect(log).not.toContain(secret);
    expect(log).not.toContain(path.split('/').at(-1));
  });
});

describe('the open workspace', () => {
  const twoWorkspaces = async () => {
    const { email } = await service.addMember('admin');
    const browser = await signedIn(email);
    const { body } = await browser.post('/api/app/workspaces', { name: 'Second' });
    return { email, browser, second: body.workspace.id as string, first: service.owner.workspaceId };
  };
  const bodiesIn = async (browser: Awaited<ReturnType<typeof signedIn>>) =>
    (await browser.post('/api/app/actions/posts.list')).body.posts.map(
      (post: { versions: { content: { body: string }[] }[] }) => post.versions[0]?.content[0]?.body,
    );

  test('belongs to the browser: switching in another one leaves it alone', async () => {
    const { email, browser: here, first, second } = await twoWorkspaces();
    const there = await signedIn(email);
    await there.post(`/api/app/workspaces/${first}/open`);
    expect((await here.get('/api/auth/session')).body.workspace.id).toBe(second);
    await here.post('/api/app/actions/posts.create', { body: 'For the second' });
    expect(await bodiesIn(here)).toEqual(['For the second']);
    expect(await bodiesIn(there)).not.toContain('For the second');
    // New sign-ins and MCP clients use the workspace that was opened last.
    expect((await (await signedIn(email)).get('/api/auth/session')).body.workspace.id).toBe(first);
  });

  test('is named by each request: after a switch in another tab nothing is done', async () => {
    const { browser, first, second } = await twoWorkspaces();
    const inSecond = { 'posthorn-workspace': second };
    const made = await browser.post('/api/app/actions/posts.create', { body: 'Fits' }, inSecond);
    expect(made.status).toBe(200);
    await browser.post(`/api/app/workspaces/${first}/open`, {}, inSecond);
    for (const refused of [
      await browser.post('/api/app/actions/posts.create', { body: 'Astray' }, inSecond),
      await browser.post('/api/auth/tokens', { name: 'Astray' }, inSecond),
      await browser.post('/api/media', { url: 'https://example.com/astray.png' }, inSecond),
      await browser.get('/api/app/members', inSecond),
      await browser.get(`/api/app/events?workspace=${second}`),
      await browser.get('/api/app/events', inSecond),
    ]) {
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'Conflict', message: expect.stringContaining('This browser has Demo open now') },
      });
    }
    expect(await bodiesIn(browser)).not.toContain('Astray');
    expect(JSON.stringify((await browser.get('/api/auth/tokens')).body)).not.toContain('Astray');
    // What is about the person goes on, so that the tab can switch back.
    expect((await browser.get('/api/auth/session', inSecond)).body.workspace.id).toBe(first);
    expect((await browser.post(`/api/app/workspaces/${second}/open`, {}, inSecond)).status).toBe(200);
    expect((await browser.get('/api/app/members', inSecond)).status).toBe(200);
  });

  test('is another one at the next sign-in, once somebody has left', async () => {
    const { email, browser, first, second } = await twoWorkspaces();
    await browser.post(`/api/app/workspaces/${first}/open`);
    const { userId } = (await browser.get('/api/app/members')).body.members.find(
      (member: { email: string }) => member.email === email,
    );
    await browser.delete(`/api/app/members/${userId}`);
    expect((await browser.get('/api/auth/session')).body.workspace).toBeUndefined();
    expect((await (await signedIn(email)).get('/api/auth/session')).body.workspace.id).toBe(second);
  });
});

describe('who may make workspaces', () => {
  const tryAs = async (own: Service, role: 'viewer' | 'editor' | 'admin' | 'owner') => {
    const { email } = await own.addMember(role);
    const browser = own.browser();
    const { mayMakeWorkspaces } = (await browser.signIn(email)).body.user;
    const { status } = await browser.post('/api/app/workspaces', { name: 'Mine' });
    expect(mayMakeWorkspaces).toBe(status === 200);
    return status;
  };

  test.each([
    ['admins', [403, 403, 200, 200]],
    ['everyone', [200, 200, 200, 200]],
    ['operator', [403, 403, 403, 403]],
  ])('with NEW_WORKSPACES=%s', async (setting, expected) => {
    const own = await startService({ NEW_WORKSPACES: setting });
    const statuses = [];
    for (const role of ['viewer', 'editor', 'admin', 'owner'] as const) statuses.push(await tryAs(own, role));
    expect(statuses).toEqual(expected);
    const operator = own.browser();
    await operator.signIn();
    expect((await operator.post('/api/app/workspaces', { name: 'Mine' })).status).toBe(200);
    await own.stop();
  });

  test('any other setting is refused', async () => {
    await expect(startService({ NEW_WORKSPACES: 'nobody' })).rejects.toThrow('NEW_WORKSPACES must be one of admins');
  });
});

describe('an invitation', () => {
  let empty: Service;
  beforeAll(async () => {
    empty = await startService({}, { empty: true });
  });
  afterAll(() => empty.stop());

  const invite = async (email: string) => {
    const { body } = await (await signedIn()).post('/api/app/invitations', { email, role: 'viewer' });
    return body.url.split('/').at(-1) as string;
  };
  const open = async (token: string, browser = service.browser()) =>
    (await browser.post('/api/auth/invitations/open', { token })).body;

  test('does not tell whether its address has an account', async () => {
    const { email } = await service.addWorkspace();
    const [known, unknown] = [await invite(email), await invite('unknown@example.com')];
    const said = { workspace: 'Demo', role: 'viewer', isTheirs: false };
    expect(await open(known)).toEqual({ email, ...said });
    expect(await open(unknown)).toEqual({ email: 'unknown@example.com', ...said });
    const short = (token: string) =>
      service.browser().post('/api/auth/invitations/accept', { token, password: 'short' });
    expect((await short(known)).body).toEqual((await short(unknown)).body);
  });

  test('is accepted without a password by somebody signed in with its address, and by nobody else', async () => {
    const { email } = await service.addWorkspace();
    const token = await invite(email);
    const { email: otherEmail } = await service.addWorkspace();
    const stranger = await signedIn(otherEmail);
    expect((await stranger.post('/api/auth/invitations/accept', { token })).status).toBe(403);
    const browser = await signedIn(email);
    expect((await open(token, stranger)).isTheirs).toBe(false);
    expect((await open(token, browser)).isTheirs).toBe(true);
    const { body } = await browser.post('/api/auth/invitations/accept', { token });
    expect(body.workspaces).toHaveLength(2);
    expect(body.workspace.id).toBe(service.owner.workspaceId);
  });

  test.each(['no', 'no@', '@no', 'no no@example.com', '', ' ', 'no@exa mple.com', 'no@a@b'])(
    'needs an address, and %j is none, there or at sign-up',
    async (email) => {
      const bad = { status: 400, body: { code: 'BadInput', issues: [{ path: 'email' }] } };
      expect(await (await signedIn()).post('/api/app/invitations', { email, role: 'viewer' })).toMatchObject(bad);
      await expect(
        service.posthorn.people.addMember(service.owner.workspaceId, {
          email,
          password: 'correct horse',
          role: 'viewer',
        }),
      ).rejects.toMatchObject({ code: 'BadInput' });
      const fresh = { email, password: 'correct horse', workspace: 'Mine' };
      expect(await empty.browser().post('/api/auth/sign-up', fresh)).toMatchObject(bad);
    },
  );

  test.each([
    'Anna\nAdmin',
    'Anna\u2028Admin',
    '\u001b[2KAnna',
    'Anna \u202egnp.exe',
    'An\u200bna',
    'An\u200cna',
    'An\u200dna',
    'An\u00adna',
    'An\ufeffna',
    '\u3164',
  ])('the name %j is refused wherever a person gives one', async (name) => {
    const refusal = (path: string) => ({
      status: 400,
      body: { code: 'BadInput', issues: [{ path, message: expect.stringMatching(/^must be one line of plain text/) }] },
    });
    const browser = await signedIn();
    expect(await browser.patch('/api/app/profile', { name })).toMatchObject(refusal('name'));
    expect(await browser.post('/api/app/workspaces', { name })).toMatchObject(refusal('name'));
    expect(await browser.patch('/api/app/workspace', { name })).toMatchObject(refusal('name'));
    expect(await browser.post('/api/auth/tokens', { name })).toMatchObject(refusal('name'));
    expect(await browser.post('/api/app/passkeys', { name, response: {} })).toMatchObject(refusal('name'));
    const invited = { token: await invite(`${randomUUID()}@example.com`), password: 'correct horse' };
    const accept = (input: object) =>
      service.browser().post('/api/auth/invitations/accept', { ...invited, ...input }, from('198.51.100.6'));
    expect(await accept({ name })).toMatchObject(refusal('name'));
    expect((await accept({ name: 'Anna' })).body.user).toMatchObject({ name: 'Anna' });
    const first = { email: 'first@example.com', password: 'correct horse', workspace: name };
    expect(await empty.browser().post('/api/auth/sign-up', first)).toMatchObject(refusal('workspace'));
    const guest = { secret: 'unknown', name, verdict: 'Fine', body: '', updatedAt: '2126-01-01T00:00:00Z' };
    expect(await service.browser().post('/api/review/advice', guest)).toMatchObject(refusal('name'));
  });

  test.each(["Anne-Marie d'Été", '山田\u3000太郎', 'علی\u200cرضا', 'क्\u200dष', 'Ops 👩🏽\u200d💻 ❤️\u200d🔥'])(
    'the name %s is taken as it is',
    async (name) => {
      const browser = await signedIn((await service.addMember('editor')).email);
      expect((await browser.patch('/api/app/profile', { name })).body.user).toMatchObject({ name });
    },
  );

  test('that somebody else accepted locks nobody out for good: the operator lets the person in', async () => {
    const email = 'boss@example.com';
    const { email: taker } = await service.addWorkspace();
    const other = await (await signedIn(taker)).post('/api/app/invitations', { email, role: 'viewer' });
    const thief = service.browser();
    const stolen = { token: other.body.url.split('/').at(-1), password: 'chosen by another' };
    expect((await thief.post('/api/auth/invitations/accept', stolen)).status).toBe(200);
    const token = await invite(email);
    const refused = await service
      .browser()
      .post('/api/auth/invitations/accept', { token, password: 'chosen by the boss' });
    expect(refused.status).toBe(401);
    expect(refused.body.message).toMatch(/ask the operator for a link \(npx posthorn link --email/);

    const boss = service.browser();
    const { path } = await service.posthorn.welcome.linkFor(email);
    expect((await boss.post('/api/auth/links/use', { secret: path.split('/').at(-1) })).status).toBe(200);
    expect((await boss.post('/api/auth/password', { next: 'chosen by the boss' })).status).toBe(200);
    expect((await boss.post('/api/auth/invitations/accept', { token })).body.workspace.name).toBe('Demo');
    expect((await thief.get('/api/auth/session')).status).toBe(401);
    expect((await service.browser().signIn(email, 'chosen by another')).status).toBe(401);
    expect((await service.browser().signIn(email, 'chosen by the boss')).status).toBe(200);
  });

  test('withdrawn is in the audit log', async () => {
    const owner = await signedIn();
    const { body } = await owner.post('/api/app/invitations', { email: 'gone@example.com', role: 'viewer' });
    await owner.delete(`/api/app/invitations/${body.id}`);
    expect((await eventsIn(owner)).slice(0, 2)).toEqual(['invitation.withdrawn', 'member.invited']);
  });

  test('is forgotten a month after it ended, accepted or not, and 200 are open at most', async () => {
    const { email, workspaceId } = await service.addWorkspace();
    const admin = await signedIn(email);
    const { body } = await admin.post('/api/app/invitations', { email: 'many@example.com', role: 'viewer' });
    await service.database.query(
      sql(
        'test.invitations',
        `insert into invitations (id, workspace_id, email, role, hash, invited_by, created_at, expires_at, accepted_at)
         select 'inv_' || n, workspace_id, email, role, sha256(n::text::bytea), invited_by, created_at,
                case when n > 199 then created_at - (n - 200) * interval '29 days' else expires_at end,
                case when n = 203 then created_at - interval '90 days' end
           from invitations cross join generate_series(1, 203) as n where id = $1`,
      ),
      [body.id],
    );
    const again = await admin.post('/api/app/invitations', { email: 'one@example.com', role: 'viewer' });
    expect(again).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await admin.get('/api/app/invitations')).body.invitations).toHaveLength(200);
    await service.posthorn.invitations.purge();
    const left = sql(
      'test.left',
      `select id from invitations where workspace_id = $1 and id in ('inv_201', 'inv_202', 'inv_203')`,
    );
    expect(await service.database.query(left, [workspaceId])).toEqual([{ id: 'inv_201' }]);
  });
});

describe('a new password', () => {
  test('and the end of all other sessions are one: a process that is killed leaves both or none', async () => {
    const { email } = await service.addMember('editor');
    const [browser, other] = [await signedIn(email), await signedIn(email)];
    await service.database.script(`
      create function test_cut() returns trigger language plpgsql as $$ begin raise exception 'cut'; end $$;
      create trigger test_cut before delete on sessions execute function test_cut();`);
    const change = { current: 'correct horse', next: 'another password' };
    expect((await browser.post('/api/auth/password', change)).status).toBe(500);
    await service.database.script('drop function test_cut cascade');
    expect((await other.get('/api/auth/session')).status).toBe(200);
    expect((await service.browser().signIn(email, 'another password')).status).toBe(401);
    expect((await browser.post('/api/auth/password', change)).status).toBe(200);
    expect((await other.get('/api/auth/session')).status).toBe(401);
  });
});

describe('personal tokens', () => {
  test('are at most 200 for each person, and are forgotten a month after they were revoked', async () => {
    const { email, userId } = await service.addMember('editor');
    const browser = await signedIn(email);
    await service.database.query(
      sql(
        'test.tokens',
        `insert into personal_tokens (id, workspace_id, user_id, name, hash, revoked_at)
         select 'tok_test' || n, $2, $1, 'One of many', sha256(('tok' || n)::bytea),
                case when n > 198 then posthorn_now() - (n - 198) * interval '20 days' end from generate_series(1, 200) as n`,
      ),
      [userId, service.owner.workspaceId],
    );
    const make = () => browser.post('/api/auth/tokens', { name: 'One more' });
    const { body: last } = await make();
    expect(await make()).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    await browser.delete(`/api/auth/tokens/${last.id}`);
    expect((await make()).status).toBe(200);
    await service.posthorn.tokens.purge();
    const kept = sql(
      'test.revoked',
      `select id from personal_tokens where user_id = $1 and revoked_at is not null order by id`,
    );
    expect(await service.database.query(kept, [userId])).toEqual([{ id: last.id }, { id: 'tok_test199' }]);
  });

  test('of all workspaces are listed with theirs, and revoked from anywhere', async () => {
    const { email } = await service.addMember('admin');
    const browser = await signedIn(email);
    const first = await browser.post('/api/auth/tokens', { name: 'In the first' });
    const { body: session } = await browser.post('/api/app/workspaces', { name: 'Second' });
    await browser.post('/api/auth/tokens', { name: 'In the second' });
    const { body: list } = await browser.get('/api/auth/tokens');
    expect(list).toMatchObject([
      { name: 'In the second', workspace: { id: session.workspace.id, name: 'Second' } },
      { name: 'In the first', workspace: { id: service.owner.workspaceId, name: 'Demo' } },
      { name: 'admin' },
    ]);
    expect((await browser.delete(`/api/auth/tokens/${first.body.id}`)).status).toBe(200);
    const authorization = `Bearer ${first.body.token}`;
    expect((await service.call('posts.list', {}, { authorization })).status).toBe(401);
    const owner = await signedIn();
    const { entries } = (await owner.get('/api/app/audit')).body;
    expect(entries).toContainEqual(expect.objectContaining({ event: 'token.revoked', details: { id: first.body.id } }));
  });

  test('end with the membership, also for somebody who comes back', async () => {
    const { userId, email, token, workspaceId } = await service.addMember('editor');
    const owner = await signedIn();
    await owner.delete(`/api/app/members/${userId}`);
    await service.database.run(sql('test.back', "insert into members values ($1, $2, 'editor')"), [
      workspaceId,
      userId,
    ]);
    expect((await service.call('posts.list', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await (await signedIn(email)).get('/api/auth/tokens')).body).toEqual([]);
  });
});

describe('the profile', () => {
  test('begins with the address and nothing else', async () => {
    const { email } = await service.addMember('editor');
    const { body } = await (await signedIn(email)).get('/api/auth/session');
    const name = email.split('@')[0];
    expect(body.user).toMatchObject({ name, timeZone: '', theme: 'auto', shortcuts: true, operator: false });
  });

  test('is changed field by field, and others see the name', async () => {
    const { email, userId } = await service.addMember('viewer');
    const browser = await signedIn(email);
    const { body } = await browser.patch('/api/app/profile', { name: ' Ada ', timeZone: 'Europe/Berlin' });
    expect(body.user).toMatchObject({ name: 'Ada', timeZone: 'Europe/Berlin', theme: 'auto' });
    const next = await browser.patch('/api/app/profile', { theme: 'dark', shortcuts: false });
    expect(next.body.user).toMatchObject({ name: 'Ada', timeZone: 'Europe/Berlin', theme: 'dark', shortcuts: false });
    expect((await browser.patch('/api/app/profile', { timeZone: '' })).body.user.timeZone).toBe('');
    expect((await browser.patch('/api/app/profile', {})).body.user).toMatchObject({ name: 'Ada', theme: 'dark' });
    const { members } = (await browser.get('/api/app/members')).body;
    expect(members).toContainEqual(expect.objectContaining({ userId, name: 'Ada' }));
  });

  test.each([
    [{ name: ' ' }, 'name'],
    [{ name: 'a'.repeat(101) }, 'name'],
    [{ timeZone: 'Europe/Atlantis' }, 'timeZone'],
    [{ timeZone: 'x'.repeat(101) }, 'timeZone'],
    [{ theme: 'pink' }, 'theme'],
    [{ shortcuts: 'yes' }, 'shortcuts'],
    [{ email: 'other@example.com' }, 'email'],
  ])('refuses %j', async (change, path) => {
    const { body } = await (await signedIn()).patch('/api/app/profile', change);
    expect(body).toMatchObject({ code: 'BadInput', issues: [{ path }] });
  });
});

describe('sessions', () => {
  test('are listed with their browser, and ended one by one', async () => {
    const { email } = await service.addMember('editor');
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
    const firefox = service.browser();
    await firefox.post('/api/auth/sign-in', { email, password: 'correct horse' }, { 'user-agent': agent });
    const here = await signedIn(email);
    const { sessions } = (await here.get('/api/app/sessions')).body;
    expect(sessions).toHaveLength(2);
    expect(sessions).toContainEqual({
      id: expect.stringMatching(/^ses_/),
      since: expect.any(String),
      lastSeenAt: expect.any(String),
      userAgent: 'Firefox on Linux',
      current: false,
    });
    expect(sessions.filter(({ current }: { current: boolean }) => current)).toHaveLength(1);
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    const stranger = await signedIn();
    expect((await stranger.delete(`/api/app/sessions/${id}`)).status).toBe(404);
    expect((await firefox.get('/api/auth/session')).status).toBe(200);
    expect((await here.delete(`/api/app/sessions/${id}`)).status).toBe(200);
    expect((await firefox.get('/api/auth/session')).status).toBe(401);
    expect((await here.get('/api/app/sessions')).body.sessions).toHaveLength(1);
  });

  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0',
      'Edge on Windows',
    ],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1', 'Safari on iOS'],
    ['Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['curl/8.5.0', 'curl/8.5.0'],
    [`${'a'.repeat(300)}`, 'a'.repeat(40)],
    ['', ''],
  ])('%j is %j', (userAgent, name) => {
    expect(nameOfBrowser(userAgent)).toBe(name);
  });
});

test('the audit log has every event about people', async () => {
  const own = await startService();
  const owner = own.browser();
  await owner.signIn('owner@example.com', 'wrong password');
  await owner.signIn();
  await owner.post('/api/auth/password', { current: 'correct horse', next: 'correct horse' });
  const { body: invitation } = await owner.post('/api/app/invitations', { email: 'new@example.com', role: 'editor' });
  const token = invitation.url.split('/').at(-1);
  const guest = own.browser();
  const joined = await guest.post('/api/auth/invitations/accept', { token, password: 'correct horse' });
  await owner.patch(`/api/app/members/${joined.body.user.id}`, { role: 'viewer' });
  await owner.delete(`/api/app/members/${joined.body.user.id}`);
  const made = await owner.post('/api/auth/tokens', { name: 'Audited' });
  await owner.delete(`/api/auth/tokens/${made.body.id}`);
  await owner.patch('/api/app/workspace', { name: 'Renamed' });
  const id = await own.connect('mastodon');
  await owner.post('/api/app/actions/accounts.delete', { id });
  await owner.post('/api/app/sandbox/clock', { forwardMs: 1000 });
  expect((await eventsIn(owner)).toReversed()).toEqual([
    'workspace.created',
    'owner.first',
    'sign-in.failed',
    'sign-in.succeeded',
    'password.changed',
    'member.invited',
    'member.joined',
    'member.role',
    'member.removed',
    'token.created',
    'token.revoked',
    'workspace.changed',
    'account.connected',
    'account.disconnected',
    'clock.moved',
  ]);
  const { entries } = (await owner.get('/api/app/audit')).body;
  expect(JSON.stringify(entries)).not.toMatch(/wrong password|correct horse|posthorn_pat_/);
  await own.stop();
});

/** A workspace of its own with an owner and an editor at their browsers. */
const newTeam = async () => {
  const team = await service.addWorkspace();
  const owner = await signedIn(team.email);
  const { body } = await owner.post('/api/app/invitations', { email: `second${team.email}`, role: 'editor' });
  const second = service.browser();
  const token = body.url.split('/').at(-1);
  const joined = await second.post('/api/auth/invitations/accept', { token, password: 'correct horse' });
  return { ...team, owner, second, secondId: joined.body.user.id as string };
};
const roleIn = async (browser: Browser) => (await browser.get('/api/auth/session')).body.workspace?.role;

describe('handing a workspace over', () => {
  test('makes the other one owner and oneself admin, once the name is repeated, and is audited', async () => {
    const { owner, second, secondId, userId } = await newTeam();
    const handOver = (to: string, name: string, by = owner) =>
      by.post('/api/app/workspace/owner', { userId: to, name });
    expect((await handOver(secondId, 'Others')).body).toMatchObject({ code: 'BadInput', issues: [{ path: 'name' }] });
    expect((await handOver(userId, 'Other')).body).toMatchObject({ code: 'BadInput', issues: [{ path: 'userId' }] });
    expect((await handOver(service.owner.userId, 'Other')).status).toBe(404);
    expect((await handOver(userId, 'Other', second)).status).toBe(403);
    expect(await handOver(secondId, 'Other')).toMatchObject({ status: 200, body: { workspace: { role: 'admin' } } });
    expect([await roleIn(owner), await roleIn(second)]).toEqual(['admin', 'owner']);
    expect(await eventsIn(second)).toContain('workspace.handed-over');
    expect((await handOver(secondId, 'Other')).status).toBe(403);
  });

  test('twice at once leaves one owner', async () => {
    const { owner, second, secondId } = await newTeam();
    const again = () => owner.post('/api/app/workspace/owner', { userId: secondId, name: 'Other' });
    const statuses = (await Promise.all([again(), again()])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect([await roleIn(owner), await roleIn(second)]).toEqual(['admin', 'owner']);
  });
});

describe('at the same moment', () => {
  const workspaceRow = sql('test.holdWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
  const userRow = sql('test.holdUser', 'select from users where id = $1 for update', 'locks');

  /** Locks a row, starts each request once the previous ones wait for it, then releases the lock. */
  const queued = async (
    held: Statement<readonly unknown[]>,
    id: string | undefined,
    ...requests: (() => Promise<Answer>)[]
  ) => {
    const { database } = service;
    const begun: Promise<Answer>[] = [];
    await database.transaction(async () => {
      await database.query(held, id === undefined ? [] : [id]);
      for (const request of requests) {
        begun.push(database.outside(request));
        await lockAwaited(service, begun.length);
      }
    });
    return Promise.all(begun);
  };
  const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

  const invite = async (owner: Browser, email: string, role = 'editor') => {
    const { body } = await owner.post('/api/app/invitations', { email, role });
    return { id: body.id as string, token: body.url.split('/').at(-1) as string };
  };
  const accept = (token: string, browser = service.browser(), password = 'correct horse') =>
    browser.post('/api/auth/invitations/accept', { token, password });
  const rolesIn = async (browser: Browser) =>
    (await browser.get('/api/app/members')).body.members.map(({ role }: { role: string }) => role) as string[];

  test('one of two owners leaves and the other steps down: the second of them stays', async () => {
    const { owner, userId, second, secondId, workspaceId } = await newTeam();
    await owner.patch(`/api/app/members/${secondId}`, { role: 'owner' });
    const answers = await queued(
      workspaceRow,
      workspaceId,
      () => owner.delete(`/api/app/members/${userId}`),
      () => second.patch(`/api/app/members/${secondId}`, { role: 'editor' }),
    );
    expect(statusesOf(answers)).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toContain('the last owner');
    expect(await rolesIn(second)).toContain('owner');
  });

  test('the workspace is handed to somebody whom an admin removes: only the first is done', async () => {
    const { owner, second, secondId, workspaceId, email } = await newTeam();
    const admin = service.browser();
    await accept((await invite(owner, `third${email}`, 'admin')).token, admin);
    const answers = await queued(
      workspaceRow,
      workspaceId,
      () => admin.delete(`/api/app/members/${secondId}`),
      () => owner.post('/api/app/workspace/owner', { userId: secondId, name: 'Other' }),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect((await rolesIn(admin)).filter((role) => role === 'owner')).toHaveLength(1);
    expect([undefined, 'owner']).toContain(await roleIn(second));
  });

  test('somebody is removed while they remove another one: who is out changes nothing', async () => {
    const { owner, secondId, workspaceId, email } = await newTeam();
    const admin = service.browser();
    const { user } = (await accept((await invite(owner, `third${email}`, 'admin')).token, admin)).body;
    const [, refused] = await queued(
      workspaceRow,
      workspaceId,
      () => owner.delete(`/api/app/members/${user.id}`),
      () => admin.delete(`/api/app/members/${secondId}`),
    );
    expect(refused?.body).toMatchObject({ code: 'Conflict', message: expect.stringContaining('Your role') });
    expect(await rolesIn(owner)).toEqual(['owner', 'editor']);
  });

  test('an invitation that is accepted twice lets in one', async () => {
    const { owner, workspaceId, email } = await newTeam();
    const { token } = await invite(owner, `third${email}`);
    const answers = await queued(
      workspaceRow,
      workspaceId,
      () => accept(token),
      () => accept(token),
    );
    expect(statusesOf(answers)).toEqual([200, 404]);
    expect(await rolesIn(owner)).toHaveLength(3);
  });

  test('somebody new accepts invitations of two workspaces: one account is in both', async () => {
    const [one, other] = [await newTeam(), await newTeam()];
    const email = `third${one.email}`;
    const tokens = [(await invite(one.owner, email)).token, (await invite(other.owner, email)).token];
    const signUp = sql('test.holdSignUp', 'select pg_advisory_xact_lock(727003)', 'locks');
    const answers = await queued(signUp, undefined, ...tokens.map((token) => () => accept(token)));
    expect(statusesOf(answers)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.user.id)).size).toBe(1);
    const { workspaces } = (await (await signedIn(email)).get('/api/auth/session')).body;
    expect(workspaces).toHaveLength(2);
  });

  test('an invitation is accepted and withdrawn: who is in was not withdrawn', async () => {
    const [{ owner }, guest] = [await newTeam(), await newTeam()];
    const { id, token } = await invite(owner, guest.email);
    const [accepted, withdrawn] = await queued(
      userRow,
      guest.userId,
      () => accept(token, guest.owner, ''),
      () => owner.delete(`/api/app/invitations/${id}`),
    );
    expect([accepted?.status, withdrawn?.status]).toEqual([200, 404]);
  });

  test('an invitation is accepted and its workspace is deleted: it is gone, and neither waits for the other for ever', async () => {
    const { owner, workspaceId, email } = await newTeam();
    const { token } = await invite(owner, `third${email}`);
    const { database } = service;
    let accepting: Promise<Answer> | undefined;
    await database.transaction(async () => {
      await database.query(workspaceRow, [workspaceId]);
      accepting = database.outside(() => accept(token));
      await lockAwaited(service);
      await database.run(sql('test.deleteWorkspace', 'delete from workspaces where id = $1'), [workspaceId]);
    });
    expect(await accepting).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });

  test(`somebody who owns one workspace less than ${bounds.workspaces} makes two: the second is refused in words`, async () => {
    const { owner, userId } = await newTeam();
    const many = sql(
      'test.manyWorkspaces',
      `with made as (insert into workspaces (id, name) select 'ws_MANY' || n, 'Many' from generate_series(3, $2::int) n returning id)
       insert into members (workspace_id, user_id, role) select id, $1, 'owner' from made`,
    );
    await service.database.run(many, [userId, bounds.workspaces]);
    const make = () => owner.post('/api/app/workspaces', { name: 'One more' });
    const answers = await queued(userRow, userId, make, make);
    expect(statusesOf(answers)).toEqual([200, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.message).toBe(
      'You own 100 workspaces. Delete one or hand one over to make another.',
    );
  });
});

describe('deleting a workspace', () => {
  const path = '/api/app/workspace/deletion';

  test('stops publishing at once, waits 7 days by the clock on the wall, and removes everything in it', async () => {
    const { owner, second, workspaceId, userId, token } = await newTeam();
    const account = await service.addAccount('x', workspaceId);
    const asAgent = { authorization: `Bearer ${token}` };
    const { body: post } = await service.call('posts.create', { body: 'Bye', accountIds: [account] }, asAgent);
    const as = { workspaceId, userId };
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    await service.asHuman('posts.schedule', { id: post.id, at }, as);
    const { body: draft } = await service.call('posts.create', { body: 'Later', accountIds: [account] }, asAgent);

    expect((await owner.post(path, { name: 'other' })).body).toMatchObject({ issues: [{ path: 'name' }] });
    expect((await second.post(path, { name: 'Other' })).status).toBe(403);
    expect((await owner.post(path, { name: 'Other' })).status).toBe(200);
    expect((await owner.post(path, { name: 'Other' })).status).toBe(409);
    const seen = (await second.get('/api/auth/session')).body.workspace.deletion;
    expect(Date.parse(seen.at) - service.wallClock.now().getTime()).toBeCloseTo(7 * dayMs, -5);
    expect((await second.get('/api/app/notifications')).body.earlier[0].kind).toBe('workspace.deletion');

    for (const [action, input] of [
      ['posts.publishNow', { id: draft.id }],
      ['posts.schedule', { id: draft.id, at }],
    ] as const) {
      await expect(service.asHuman(action, input, as)).rejects.toMatchObject({ code: 'Conflict' });
    }
    await service.clock.forward(2 * 3_600_000);
    await service.posthorn.jobs.runDue(['posts']);
    expect((await service.call('posts.get', { id: post.id }, asAgent)).body.status).toBe('Scheduled');
    // A post that must not be published keeps no loop busy.
    expect(await service.posthorn.jobs.msToNext(['posts'])).toBeUndefined();

    await service.clock.forward(30 * dayMs);
    await service.posthorn.deletion.removeDue();
    expect((await second.get('/api/auth/session')).body.workspace?.id).toBe(workspaceId);
    service.wallClock.forward(7 * dayMs);
    await service.posthorn.deletion.removeDue();
    expect((await second.get('/api/auth/session')).body.workspaces).toEqual([]);
    expect((await service.call('accounts.list', {}, asAgent)).status).toBe(401);
    const left = await service.database.query(
      sql(
        'test.left',
        `select from posts where workspace_id = $1 union all select from accounts where workspace_id = $1
         union all select from media where workspace_id = $1 union all select from notifications where workspace_id = $1`,
      ),
      [workspaceId],
    );
    expect(left).toHaveLength(0);
    const told = sql(
      'test.deleted',
      "select 1 from service_audit_log where event = 'workspace.deleted' and details ->> 'id' = $1",
    );
    expect(await service.database.query(told, [workspaceId])).toHaveLength(1);
  });

  test('one that cannot be deleted now keeps no other one, and goes when it can', async () => {
    const teams = [await newTeam(), await newTeam()];
    for (const { owner } of teams) await owner.post(path, { name: 'Other' });
    const [refused] = teams.map(({ workspaceId }) => workspaceId).sort();
    const run = (text: string) => service.database.run(sql(`test.${text.slice(0, 20)}`, text));
    await run(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'not now'; end $$",
    );
    await run(`create trigger refuse before delete on workspaces for each row when (old.id = '${refused}')
               execute function refuse()`);
    service.wallClock.forward(7 * dayMs);
    const kept = async () => {
      await service.posthorn.deletion.removeDue();
      const ids = teams.map(({ workspaceId }) => workspaceId);
      return service.database.query(sql('test.keptOf', 'select id from workspaces where id = any($1)'), [ids]);
    };
    expect(await kept()).toEqual([{ id: refused }]);
    await run('drop function refuse cascade');
    expect(await kept()).toEqual([]);
  });

  test('can be taken back by an owner: what is due goes out then', async () => {
    const { owner, second, workspaceId, userId, token } = await newTeam();
    const account = await service.addAccount('x', workspaceId);
    const asAgent = { authorization: `Bearer ${token}` };
    const { body: post } = await service.call('posts.create', { body: 'Stay', accountIds: [account] }, asAgent);
    const at = new Date(service.clock.now().getTime() + 60_000).toISOString();
    await service.asHuman('posts.schedule', { id: post.id, at }, { workspaceId, userId });
    await owner.post(path, { name: 'Other' });
    await service.clock.forward(120_000);
    expect((await second.delete(path)).status).toBe(403);
    const { body } = await owner.delete(path);
    expect(body.workspace.deletion).toBeUndefined();
    expect(await eventsIn(owner)).toEqual(
      expect.arrayContaining(['workspace.deletion-asked', 'workspace.deletion-taken-back']),
    );
    await service.posthorn.jobs.runDue(['posts']);
    expect((await service.call('posts.get', { id: post.id }, asAgent)).body.status).not.toBe('Scheduled');
    service.wallClock.forward(8 * dayMs);
    await service.posthorn.deletion.removeDue();
    const workspace = sql('test.kept', 'select 1 from workspaces where id = $1');
    expect(await service.database.query(workspace, [workspaceId])).toHaveLength(1);
  });
});
