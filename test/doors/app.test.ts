import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '#generated/rest';
import { sql } from '#server/base/store/database';
import { type Service, startService } from '#test/support/service';

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
});
afterAll(() => service.stop());

const dayMs = 24 * 3_600_000;
const signedIn = async (email?: string) => {
  const browser = service.browser();
  expect((await browser.signIn(email)).status).toBe(200);
  return browser;
};

describe('signing in', () => {
  test('sets a cookie that scripts cannot read and other sites do not send', async () => {
    const { headers, body } = await service.browser().signIn();
    expect(headers.getSetCookie()[0]).toMatch(/^sid=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    expect(body).toMatchObject({
      user: { email: 'owner@example.com', hasPassword: true },
      workspace: { id: service.owner.workspaceId, name: 'Demo', role: 'owner', statisticsTools: false },
      workspaces: [{ id: service.owner.workspaceId, name: 'Demo', role: 'owner' }],
    });
  });

  test('on https binds the cookie to the host', async () => {
    const secure = await startService({ BASE_URL: 'https://posthorn.example.com' });
    const { headers } = await secure.browser().signIn();
    expect(headers.getSetCookie()[0]).toMatch(/^__Host-sid=.*; Secure/);
    await secure.stop();
  });

  test('with a wrong password and with an unknown address answers the same', async () => {
    const wrong = await service.browser().signIn('owner@example.com', 'nonsense');
    const unknown = await service.browser().signIn('nobody@example.com', 'nonsense');
    expect(wrong).toMatchObject({ status: 401, body: { code: 'Unauthorized' } });
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.getSetCookie()).toEqual([]);
  });

  test('does not care about the case of the address', async () => {
    expect((await service.browser().signIn('OWNER@example.COM')).status).toBe(200);
  });

  test('makes a new session each time, and an old secret is worth nothing after signing out', async () => {
    const browser = await signedIn();
    const before = browser.cookie();
    await browser.signIn();
    expect(browser.cookie()).not.toBe(before);
    const secret = browser.cookie();
    expect((await browser.post('/api/auth/sign-out')).body).toEqual({ done: true });
    expect((await service.request('GET', '/api/auth/session', { headers: { cookie: secret } })).status).toBe(401);
  });

  test('lasts 14 days without use and 90 days at most', async () => {
    const own = await startService();
    const idle = own.browser();
    await idle.signIn();
    own.wallClock.forward(14 * dayMs - 60_000);
    expect((await idle.get('/api/auth/session')).status).toBe(200);
    own.wallClock.forward(14 * dayMs);
    expect((await idle.get('/api/auth/session')).status).toBe(401);
    const busy = own.browser();
    await busy.signIn();
    for (let day = 0; day < 90; day += 10) {
      expect((await busy.get('/api/auth/session')).status).toBe(200);
      own.wallClock.forward(10 * dayMs);
    }
    expect((await busy.get('/api/auth/session')).status).toBe(401);
    expect(await own.posthorn.sessions.purge()).toBe(2);
    await own.stop();
  });

  test('is written to the audit log, without the password', async () => {
    await service.browser().signIn('owner@example.com', 'very secret guess');
    const rows = await service.database.query(sql('test.audit', 'select a::text from audit_log a'));
    expect(JSON.stringify(rows)).toContain('sign-in.failed');
    expect(JSON.stringify(rows)).not.toContain('very secret guess');
  });
});

describe('signing up', () => {
  test('after the first user is 403', async () => {
    const { status, body } = await service
      .browser()
      .post('/api/auth/sign-up', { email: 'second@example.com', password: 'correct horse' });
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'Forbidden' });
  });

  test('as the first, ten at once, makes one owner', async () => {
    const empty = await startService({}, { empty: true });
    const tries = Array.from({ length: 10 }, (_, i) =>
      empty.browser().post('/api/auth/sign-up', { email: `u${i}@example.com`, password: 'correct horse' }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 403)).toHaveLength(9);
    await empty.stop();
  });

  test('names what is wrong with address or password', async () => {
    const empty = await startService({}, { empty: true });
    for (const [input, path] of [
      [{ email: 'nonsense', password: 'correct horse' }, 'email'],
      [{ email: 'a@b', password: 'short' }, 'password'],
      [{ email: 'a@b', password: 'a'.repeat(1025) }, 'password'],
      [{ email: 'a@b' }, 'password'],
      [{ email: 'a@b', password: 'correct horse', admin: true }, 'admin'],
    ] as const) {
      const { body } = await empty.browser().post('/api/auth/sign-up', input);
      expect(body).toMatchObject({ code: 'BadInput', issues: [{ path }] });
    }
    await empty.stop();
  });
});

describe('a request with a cookie', () => {
  test.each([
    ['from another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['from a sister site', { 'sec-fetch-site': 'same-site' }],
    ['from an address that was typed in', { 'sec-fetch-site': 'none' }],
    ['from another origin, by an old browser', { origin: 'https://evil.example' }],
    ['from null', { origin: 'null' }],
  ])('%s is 403', async (_what, headers) => {
    const browser = await signedIn();
    const answer = await browser.post('/api/auth/tokens', { name: 'Stolen' }, headers);
    expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    const action = await browser.post('/api/app/actions/posts.create', {}, headers);
    expect(action.status).toBe(403);
  });

  test('from our own pages is served', async () => {
    const browser = await signedIn();
    const headers = { origin: '', 'sec-fetch-site': 'same-origin' };
    expect((await browser.post('/api/app/actions/posts.list', {}, headers)).status).toBe(200);
  });
});

describe.each(Object.entries(routes).filter(([, { access }]) => access === 'Session'))('%s', (_name, route) => {
  const path = route.path.replace(':id', 'x_1');
  const request = (headers: Record<string, string>) =>
    service.request(route.method, path, {
      headers: { 'content-type': 'application/json', ...headers },
      ...(route.method !== 'GET' && { body: '{}' }),
    });

  test('needs somebody signed in', async () => {
    expect(await request({})).toMatchObject({ status: 401, body: { code: 'Unauthorized' } });
    expect(await request({ cookie: `sid=${'a'.repeat(43)}` })).toMatchObject({ status: 401 });
  });

  test('is out of reach of a personal token, even beside a session', async () => {
    const browser = await signedIn();
    const authorization = `Bearer ${service.token}`;
    expect(await request({ authorization })).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    expect(await request({ authorization, cookie: browser.cookie() })).toMatchObject({ status: 403 });
    expect(await request({ authorization: 'Bearer posthorn_pat_wrong' })).toMatchObject({ status: 401 });
  });

  test('refuses another method in the error shape', async () => {
    expect(await service.request('PUT', path)).toMatchObject({ status: 405, body: { code: 'BadInput' } });
  });
});

describe('personal tokens in the app', () => {
  test('are made once, listed without their secret, and revoked', async () => {
    const browser = await signedIn();
    const { body: made } = await browser.post('/api/auth/tokens', { name: 'Laptop' });
    expect(made).toEqual({
      id: expect.stringMatching(/^tok_/),
      name: 'Laptop',
      createdAt: expect.any(String),
      token: expect.stringMatching(/^posthorn_pat_/),
      workspace: { id: service.owner.workspaceId, name: 'Demo' },
    });
    expect((await service.call('posts.list', {}, { authorization: `Bearer ${made.token}` })).status).toBe(200);
    const { body: list } = await browser.get('/api/auth/tokens');
    expect(list.find((one: { id: string }) => one.id === made.id)).toEqual({
      id: made.id,
      name: 'Laptop',
      createdAt: made.createdAt,
      workspace: { id: service.owner.workspaceId, name: 'Demo' },
    });
    expect(JSON.stringify(list)).not.toMatch(/posthorn_pat_|hash/);
    expect((await browser.delete(`/api/auth/tokens/${made.id}`)).body).toEqual({ done: true });
    expect((await service.call('posts.list', {}, { authorization: `Bearer ${made.token}` })).status).toBe(401);
    expect((await browser.delete(`/api/auth/tokens/${made.id}`)).status).toBe(404);
  });

  test.each([[{}], [{ name: '' }], [{ name: '   ' }], [{ name: 'a'.repeat(10_000) }], [{ name: 7 }]])(
    'with %j as name are BadInput',
    async (input) => {
      const { body } = await (await signedIn()).post('/api/auth/tokens', input);
      expect(body).toMatchObject({ code: 'BadInput', issues: [{ path: 'name' }] });
    },
  );

  test('of somebody else cannot be revoked', async () => {
    const { id, email } = await service.addMember('editor');
    const browser = await signedIn();
    expect((await browser.delete(`/api/auth/tokens/${id}`)).status).toBe(404);
    expect((await (await signedIn(email)).delete(`/api/auth/tokens/${id}`)).status).toBe(200);
  });
});

describe('actions in the app', () => {
  test('run as the signed-in human, whose click is the approval', async () => {
    const browser = await signedIn();
    const account = await service.addAccount('x');
    const { body: post } = await browser.post('/api/app/actions/posts.create', { body: 'Hi', accountIds: [account] });
    const at = new Date(service.clock.now().getTime() + dayMs).toISOString();
    const { body } = await browser.post('/api/app/actions/posts.schedule', { id: post.id, at });
    expect(body.status).toBe('Scheduled');
    expect((await browser.post('/api/app/actions/posts.delete', { id: post.id })).body.deleted).toBe(true);
    expect((await browser.post('/api/app/actions/nope')).body.code).toBe('UnknownAction');
  });

  test('still obey the role', async () => {
    const { email } = await service.addMember('viewer');
    const browser = await signedIn(email);
    expect((await browser.post('/api/app/actions/posts.create')).body.code).toBe('Forbidden');
    expect((await browser.post('/api/app/actions/posts.list')).status).toBe(200);
  });
});

describe('the password', () => {
  test('changes with the present one, ends other sessions and keeps this one', async () => {
    const { email } = await service.addMember('editor');
    const [here, there] = [await signedIn(email), await signedIn(email)];
    expect((await here.post('/api/auth/password', { current: 'wrong', next: 'new password' })).body).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'current' }],
    });
    expect((await here.post('/api/auth/password', { current: 'correct horse', next: 'new password' })).status).toBe(
      200,
    );
    expect((await here.get('/api/auth/session')).status).toBe(200);
    expect((await there.get('/api/auth/session')).status).toBe(401);
    expect((await service.browser().signIn(email)).status).toBe(401);
    expect((await service.browser().signIn(email, 'new password')).status).toBe(200);
  });
});

describe('workspaces', () => {
  test('are made and switched, and the last opened is remembered', async () => {
    const { email } = await service.addMember('admin');
    const browser = await signedIn(email);
    const { body } = await browser.post('/api/app/workspaces', { name: 'Second' });
    expect(body.workspace).toMatchObject({ name: 'Second', role: 'owner' });
    expect(body.workspaces).toHaveLength(2);
    expect((await browser.post('/api/app/actions/posts.list')).body.posts).toEqual([]);
    const back = await browser.post(`/api/app/workspaces/${service.owner.workspaceId}/open`);
    expect(back.body.workspace).toMatchObject({ name: 'Demo', role: 'admin' });
    expect((await (await signedIn(email)).get('/api/auth/session')).body.workspace.name).toBe('Demo');
  });

  test('of others cannot be opened', async () => {
    const other = await service.addWorkspace();
    const browser = await signedIn();
    expect((await browser.post(`/api/app/workspaces/${other.workspaceId}/open`)).status).toBe(404);
  });

  test('are changed by their owner only', async () => {
    const { email } = await service.addMember('admin');
    const admin = await signedIn(email);
    expect((await admin.patch('/api/app/workspace', { name: 'Mine' })).status).toBe(403);
    const owner = await signedIn();
    const { body } = await owner.patch('/api/app/workspace', { statisticsTools: true });
    expect(body.workspace.statisticsTools).toBe(true);
    await owner.patch('/api/app/workspace', { statisticsTools: false });
  });
});

describe('members', () => {
  test('join by an invitation that works once, for its address and role', async () => {
    const owner = await signedIn();
    const { body: invitation } = await owner.post('/api/app/invitations', { email: 'new@example.com', role: 'editor' });
    expect(invitation.url).toMatch(/^http:\/\/posthorn\.test\/invitations\/[\w-]{32}$/);
    const token = invitation.url.split('/').at(-1);
    const guest = service.browser();
    const answer = { token, password: 'correct horse', name: ' Noor ' };
    const { body } = await guest.post('/api/auth/invitations/accept', answer);
    expect(body).toMatchObject({
      user: { email: 'new@example.com', name: 'Noor' },
      workspace: { name: 'Demo', role: 'editor' },
    });
    const again = await service.browser().post('/api/auth/invitations/accept', { token, password: 'correct horse' });
    expect(again).toMatchObject({ status: 404, body: { code: 'NotFound' } });
    expect((await owner.get('/api/app/members')).body.members).toEqual(
      expect.arrayContaining([expect.objectContaining({ email: 'new@example.com', role: 'editor' })]),
    );
    expect((await owner.post('/api/app/invitations', { email: 'NEW@example.com', role: 'viewer' })).status).toBe(409);
  });

  test('who have an account already join with their own password', async () => {
    const other = await service.addWorkspace();
    const [row] = await service.database.query(
      sql('test.email', 'select email from users where id = $1').holds<{ email: string }>(),
      [other.userId],
    );
    const owner = await signedIn();
    const { body } = await owner.post('/api/app/invitations', { email: row?.email, role: 'viewer' });
    const token = body.url.split('/').at(-1);
    const accept = (password: string) => service.browser().post('/api/auth/invitations/accept', { token, password });
    expect((await accept('a wrong password')).status).toBe(401);
    expect((await accept('correct horse')).body.workspaces).toHaveLength(2);
  });

  test('cannot join by an invitation that is too old or withdrawn', async () => {
    const own = await startService();
    const owner = own.browser();
    await owner.signIn();
    const invite = async () =>
      (await owner.post('/api/app/invitations', { email: 'late@example.com', role: 'viewer' })).body;
    const accept = ({ url }: { url: string }) =>
      own.browser().post('/api/auth/invitations/accept', { token: url.split('/').at(-1), password: 'correct horse' });
    const withdrawn = await invite();
    expect((await owner.delete(`/api/app/invitations/${withdrawn.id}`)).status).toBe(200);
    expect((await accept(withdrawn)).status).toBe(404);
    const old = await invite();
    own.wallClock.forward(7 * dayMs + 1000);
    expect((await accept(old)).status).toBe(404);
    await own.stop();
  });

  test('nobody hands out, takes or removes a role above their own', async () => {
    const admin = await service.addMember('admin');
    const editor = await service.addMember('editor');
    const browser = await signedIn(admin.email);
    expect((await browser.post('/api/app/invitations', { email: 'x@example.com', role: 'owner' })).status).toBe(403);
    expect((await browser.patch(`/api/app/members/${editor.userId}`, { role: 'owner' })).status).toBe(403);
    expect((await browser.patch(`/api/app/members/${service.owner.userId}`, { role: 'viewer' })).status).toBe(403);
    expect((await browser.delete(`/api/app/members/${service.owner.userId}`)).status).toBe(403);
    expect((await browser.patch(`/api/app/members/${editor.userId}`, { role: 'viewer' })).body.role).toBe('viewer');
    const viewer = await signedIn(editor.email);
    expect((await viewer.delete(`/api/app/members/${admin.userId}`)).status).toBe(403);
  });

  test('who leave can do nothing more here, nor can their tokens', async () => {
    const { userId, email, token } = await service.addMember('editor');
    const browser = await signedIn(email);
    expect((await browser.delete(`/api/app/members/${userId}`)).status).toBe(200);
    expect((await browser.get('/api/app/members')).status).toBe(403);
    expect((await service.call('posts.list', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
  });

  test('the last owner cannot leave or be demoted, also when two try at once', async () => {
    const own = await startService();
    const browser = own.browser();
    await browser.signIn();
    const self = `/api/app/members/${own.owner.userId}`;
    expect(await browser.delete(self)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect(await browser.patch(self, { role: 'admin' })).toMatchObject({ status: 409 });
    const second = await own.addMember('owner');
    const other = own.browser();
    await other.signIn(second.email);
    const both = await Promise.all([browser.delete(self), other.delete(`/api/app/members/${second.userId}`)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    await own.stop();
  });

  test('a path that is about the workspace is 403 for the wrong role', async () => {
    const { email } = await service.addMember('viewer');
    const viewer = await signedIn(email);
    for (const path of ['/api/app/invitations', '/api/app/audit']) expect((await viewer.get(path)).status).toBe(403);
    expect((await viewer.get('/api/app/members')).status).toBe(200);
  });
});

test('the audit log shows who did what in this workspace', async () => {
  const browser = await signedIn();
  await browser.post('/api/auth/tokens', { name: 'Audited' });
  const { body } = await browser.get('/api/app/audit');
  expect(body.entries[0]).toMatchObject({
    event: 'token.created',
    userId: service.owner.userId,
    details: { name: 'Audited' },
  });
});
