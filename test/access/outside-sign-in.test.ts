import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { startOutsideProvider } from '#test/support/outside-provider';
import { type Service, startService } from '#test/support/service';

let provider: Awaited<ReturnType<typeof startOutsideProvider>>;
let service: Service;
let trusting: Service;
beforeAll(async () => {
  provider = await startOutsideProvider();
  service = await startService(provider.settings);
  trusting = await startService({ ...provider.settings, AUTH_TRUST_EMAIL: 'true' });
});
afterAll(async () => {
  await service.stop();
  await trusting.stop();
  provider.stop();
});

/** To the provider and back, as a browser does it. */
const comeFrom = async (at: Service, claims: Record<string, unknown>, query = '') => {
  const begun = await at.request('GET', `/sign-in/begin?next=%2Fposts${query}`);
  const state = begun.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const answer = provider.answer(begun.headers.get('location') ?? '', claims);
  const back = await at.request('GET', `/sign-in/callback?${answer}`, { headers: { cookie: state } });
  const cookie = back.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const get = (path: string) => at.request('GET', path, { headers: { cookie } });
  const post = (path: string, body: unknown) =>
    at.request('POST', path, {
      headers: { cookie, origin: at.config.baseUrl, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { ...back, get, post };
};

/** Adds a member who joined before the operator set AUTH_URL. */
const addMember = async (at = service) => {
  const member = await at.addMember('editor');
  return { ...member, session: await at.posthorn.sessions.begin(member.userId, { means: ['password'] }) };
};

describe('somebody who comes from the outside provider', () => {
  test.each([
    ['absent', undefined],
    ['false', false],
    ['"false"', 'false'],
    ['0', 0],
    ['1', 1],
    ['null', null],
  ])('with email_verified %s is not whoever has that address here', async (_what, verified) => {
    const { email } = await addMember();
    const claims = { sub: `stranger-${verified}`, email, ...(verified !== undefined && { email_verified: verified }) };
    const refused = await comeFrom(service, claims);
    expect(refused.headers.get('location')).toBe('/sign-in?refused=NoAddress');
    expect(refused.headers.getSetCookie().join()).not.toContain('sid=');
  });

  test.each([true, 'true'])('with email_verified %j is', async (verified) => {
    const { email } = await addMember();
    const arrived = await comeFrom(service, { sub: `verified-${typeof verified}`, email, email_verified: verified });
    expect(arrived.headers.get('location')).toBe('/posts');
    expect((await arrived.get('/api/auth/session')).body.user.email).toBe(email);
  });

  test.each(['an\u202ena@example.com', 'an\u200bna@example.com', 'anna\u001b[2K@example.com', 'an\nna@example.com'])(
    'with the address %j becomes nobody, although a name would come from it',
    async (email) => {
      const empty = await startService(provider.settings, { empty: true });
      const arrived = await comeFrom(empty, { sub: 'odd', email, email_verified: true });
      expect(arrived.headers.get('location')).toMatch(/^\/sign-in\?refused=/);
      expect(await empty.database.query(sql('test.users', 'select email from users'))).toEqual([]);
      await empty.stop();
    },
  );

  test('once known by subject needs no address', async () => {
    const { email } = await addMember();
    await comeFrom(service, { sub: 'known', email, email_verified: true });
    expect((await comeFrom(service, { sub: 'known' })).headers.get('location')).toBe('/posts');
  });

  test('with AUTH_TRUST_EMAIL may leave email_verified out, but not say no', async () => {
    const { email } = await addMember(trusting);
    const refused = await comeFrom(trusting, { sub: 'no', email, email_verified: false });
    expect(refused.headers.get('location')).toBe('/sign-in?refused=NoAddress');
    expect((await comeFrom(trusting, { sub: 'silent', email })).headers.get('location')).toBe('/posts');
  });

  test('takes the account over: no password, session, token or client of before opens it', async () => {
    const { email, userId, session, token } = await addMember();
    await service.posthorn.clients.recordConsent({
      userId,
      workspaceId: undefined,
      clientId: 'https://desk.example/client.json',
      name: 'Desk',
      scopes: ['posts:read'],
      requestId: 'test',
    });
    const arrived = await comeFrom(service, { sub: 'boss', email, email_verified: true });
    const { user } = (await arrived.get('/api/auth/session')).body;
    expect(user).toMatchObject({ id: userId, hasPassword: false });
    expect(await service.posthorn.sessions.who(session)).toBeUndefined();
    await expect(service.posthorn.people.signIn(email, 'correct horse')).rejects.toMatchObject({
      code: 'Unauthorized',
    });
    expect((await service.call('posts.list', {}, { authorization: `Bearer ${token}` })).status).toBe(401);
    expect((await arrived.get('/api/app/clients')).body).toEqual({ clients: [] });
    const rows = await service.database.query(
      sql('test.linked', "select 1 from audit_log where event = 'account.linked' and user_id = $1"),
      [userId],
    );
    expect(rows).toHaveLength(1);
  });

  test('and is neither a member nor invited is not let in', async () => {
    const refused = await comeFrom(service, { sub: 'nobody', email: 'nobody@example.com', email_verified: true });
    expect(refused.headers.get('location')).toBe('/sign-in?refused=NotInvited');
    expect(refused.headers.getSetCookie().join()).not.toContain('sid=');
  });

  test('without the cookie of the beginning is told to begin again', async () => {
    const { status, headers } = await service.request('GET', '/sign-in/callback?code=a&state=b');
    expect({ status, to: headers.get('location') }).toEqual({ status: 302, to: '/sign-in?refused=NotFinished' });
  });

  test('joins by an invitation to the address that is vouched for', async () => {
    const caller = { ...service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const { url } = await service.posthorn.invitations.invite(caller, { email: 'invited@example.com', role: 'viewer' });
    const token = url.split('/').at(-1);
    expect((await service.request('GET', '/api/auth/entrance')).body).toMatchObject({ outside: true });
    const arrived = await comeFrom(service, { sub: 'invited', email: 'Invited@example.com', email_verified: true });
    expect((await arrived.get('/api/auth/session')).body.workspaces).toEqual([]);
    const { body } = await arrived.post('/api/auth/invitations/accept', { token });
    expect(body.workspace).toMatchObject({ id: service.owner.workspaceId, role: 'viewer' });
  });
});

describe('where an outside provider signs people in', () => {
  test('there are no passwords: no sign-in, no change, none chosen with an invitation', async () => {
    const refusal = { status: 403, body: { code: 'Forbidden', message: expect.stringContaining('no passwords') } };
    expect(await service.browser().signIn()).toMatchObject(refusal);
    const caller = { ...service.owner, role: 'owner', mayPublish: true, isPerson: true } as const;
    const { url } = await service.posthorn.invitations.invite(caller, { email: 'boss@example.com', role: 'viewer' });
    const input = { token: url.split('/').at(-1), password: 'correct horse' };
    expect(await service.browser().post('/api/auth/invitations/accept', input)).toMatchObject(refusal);
    const { email } = await addMember();
    const arrived = await comeFrom(service, { sub: 'no-password', email, email_verified: true });
    expect(await arrived.post('/api/auth/password', { next: 'another password' })).toMatchObject(refusal);
  });

  test('there are no passkeys and no codes here: the provider has factors of its own', async () => {
    const refusal = { status: 403, body: { code: 'Forbidden', message: expect.stringContaining('your organisation') } };
    const { email } = await addMember();
    const arrived = await comeFrom(service, { sub: 'no-passkey', email, email_verified: true });
    expect(await arrived.post('/api/app/passkeys/begin', {})).toMatchObject(refusal);
    expect(await arrived.post('/api/app/passkeys', { name: 'Phone', response: {} })).toMatchObject(refusal);
    expect(await arrived.post('/api/app/totp/begin', {})).toMatchObject(refusal);
    expect(await arrived.post('/api/app/totp', { code: '000000' })).toMatchObject(refusal);
    expect(await service.browser().post('/api/auth/passkeys/begin')).toMatchObject(refusal);
    expect(await service.browser().post('/api/auth/passkeys', { response: {} })).toMatchObject(refusal);
  });

  test('nobody is asked for a second factor: by sign-in, by an invitation, by a workspace that requires two', async () => {
    const { email, userId, workspaceId } = await addMember();
    const passkey = `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
      values ('passkey_before', $1, 'before', '', 0, '{}', 'Phone', now())`;
    const claims = { sub: 'own-factors', email, email_verified: true };
    await comeFrom(service, claims);
    await service.database.run(sql('test.passkeyBefore', passkey), [userId]);
    const again = await comeFrom(service, claims);
    expect(again.headers.get('location')).toBe('/posts');
    const other = await service.addWorkspace();
    const caller = {
      userId: other.userId,
      workspaceId: other.workspaceId,
      role: 'owner',
      mayPublish: true,
      isPerson: true,
    } as const;
    const { url } = await service.posthorn.invitations.invite(caller, { email, role: 'viewer' });
    expect((await again.post('/api/auth/invitations/accept', { token: url.split('/').at(-1) })).status).toBe(200);
    await service.database.run(sql('test.noPasskeys', 'delete from passkeys'));
    await service.posthorn.people.openWorkspace(userId, workspaceId);
    const require = sql('test.requireTwo', 'update workspaces set two_factors = $2 where id = $1');
    await service.database.run(require, [workspaceId, true]);
    const arrived = await comeFrom(service, claims);
    expect((await arrived.get('/api/app/members')).status).toBe(200);
    await service.database.run(require, [workspaceId, false]);
  });

  test('in production the first owner needs the code, too', async () => {
    const own = await startService(
      { EMBEDDED_DATABASE: 'true', ...provider.settings },
      { empty: true, production: true },
    );
    const first = { sub: 'first', email: 'first@example.com', email_verified: true };
    expect((await comeFrom(own, first)).headers.get('location')).toBe('/sign-in?refused=NeedsCode');
    expect(await own.posthorn.people.isEmpty()).toBe(true);
    const code = (await own.posthorn.welcome.firstOwnerCode()) ?? '';
    expect((await comeFrom(own, first, `&code=${code}`)).headers.get('location')).toBe('/posts');
    await own.stop();
  });
});
