import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { createPasskeyStore } from '#server/people/factors/passkey-store';
import { createPasskeys } from '#server/people/factors/passkeys';
import { createAuthenticator } from '#test/support/authenticator';
import { lockAwaited } from '#test/support/locks';
import { type Service, startService } from '#test/support/service';

const origin = 'https://posthorn.example.com';

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000', BASE_URL: origin });
});
afterAll(() => service?.stop());

const password = 'correct horse';
const signedIn = async () => {
  const { email, userId } = await service.addMember('editor');
  const browser = service.browser();
  await browser.signIn(email);
  return { browser, userId };
};

type Browser = ReturnType<Service['browser']>;

const beginAdding = async (browser: Browser) =>
  (await browser.post('/api/app/passkeys/begin', { password })).body.options as { challenge: string };
const add = (browser: Browser, response: object, name = 'Phone') =>
  browser.post('/api/app/passkeys', { name, response });
const listOf = async (browser: Browser) => (await browser.get('/api/app/passkeys')).body.passkeys;

/** Somebody with a passkey. */
const withPasskey = async () => {
  const { browser, userId } = await signedIn();
  const device = createAuthenticator(origin);
  const added = await add(browser, device.register(await beginAdding(browser)));
  expect(added).toMatchObject({ status: 200 });
  return { browser, userId, device, id: added.body.id as string };
};

const beginSignIn = async () =>
  (await service.browser().post('/api/auth/passkeys/begin')).body.options as { challenge: string };
const signIn = (response: object) => service.browser().post('/api/auth/passkeys', { response });
const badResponse = { status: 400, body: { code: 'BadInput', issues: [{ path: 'response' }] } };

describe('a passkey', () => {
  test('signs in once with each answer', async () => {
    const { device } = await withPasskey();
    // Most passkeys have no signature counter.
    const response = device.answer(await beginSignIn(), { counter: 0 });
    await service.database.run(sql('test.noCount', 'update passkeys set counter = 0'));
    expect((await signIn(response)).status).toBe(200);
    expect((await signIn(response)).status).toBe(401);
    expect((await signIn(device.answer(await beginSignIn(), { counter: 0 }))).status).toBe(200);
  });

  test('answers within five minutes', async () => {
    const { browser, device } = await withPasskey();
    const [signingIn, adding] = [await beginSignIn(), await beginAdding(browser)];
    service.wallClock.forward(5 * 60_000);
    expect((await signIn(device.answer(signingIn))).status).toBe(401);
    expect(await add(browser, createAuthenticator(origin).register(adding))).toMatchObject(badResponse);
  });

  test('answers the request that it was asked for, of the person it was asked for', async () => {
    const [one, other] = [await withPasskey(), await withPasskey()];
    expect((await signIn(one.device.answer(await beginAdding(one.browser)))).status).toBe(401);
    const theirs = createAuthenticator(origin).register(await beginAdding(one.browser));
    expect(await add(other.browser, theirs)).toMatchObject(badResponse);
    expect(await listOf(other.browser)).toHaveLength(1);
  });

  test.each([
    ['at another address', { origin: 'https://elsewhere.example.com' }],
    ['for another host', { rpId: 'elsewhere.example.com' }],
    ['that nobody unlocked', { isVerified: false }],
  ])('%s neither signs in nor is added', async (_, oddity) => {
    const { browser, device } = await withPasskey();
    expect((await signIn(device.answer(await beginSignIn(), oddity))).status).toBe(401);
    const response = createAuthenticator(origin).register(await beginAdding(browser), oddity);
    expect(await add(browser, response)).toMatchObject(badResponse);
    expect(await listOf(browser)).toHaveLength(1);
    expect((await signIn(device.answer(await beginSignIn()))).status).toBe(200);
  });

  test('that counts goes on counting: a copy of it is refused', async () => {
    const { device } = await withPasskey();
    const answerAt = async (counter: number) => signIn(device.answer(await beginSignIn(), { counter }));
    expect((await answerAt(7)).status).toBe(200);
    expect((await answerAt(7)).status).toBe(401);
    expect((await answerAt(6)).status).toBe(401);
    expect((await answerAt(8)).status).toBe(200);
  });

  test('of two answers with one count, at once, one is accepted', async () => {
    const { device, id } = await withPasskey();
    const responses = [
      device.answer(await beginSignIn(), { counter: 9 }),
      device.answer(await beginSignIn(), { counter: 9 }),
    ];
    const { database } = service;
    let answers: ReturnType<typeof signIn>[] = [];
    await database.transaction(async () => {
      await database.query(sql('test.lockPasskey', 'select from passkeys where id = $1 for update', 'locks'), [id]);
      answers = database.outside(() => responses.map(signIn));
      await lockAwaited(service, 2);
    });
    expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([200, 401]);
  });

  test('is stored once, and removed by nobody else', async () => {
    const [one, other] = [await withPasskey(), await withPasskey()];
    const again = one.device.register(await beginAdding(other.browser));
    expect(await add(other.browser, again)).toMatchObject({ status: 409 });
    expect((await other.browser.post(`/api/app/passkeys/${one.id}/remove`, { password })).status).toBe(404);
    expect((await signIn(one.device.answer(await beginSignIn()))).status).toBe(200);
  });

  test('is one of at most 20, also when two are added at once', async () => {
    const { browser, userId } = await withPasskey();
    const copies = `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
      select id || n, user_id, credential_id || n, public_key, counter, transports, name, created_at
        from passkeys, generate_series(1, 18) n where user_id = $1`;
    await service.database.run(sql('test.copies', copies), [userId]);
    const devices = [createAuthenticator(origin), createAuthenticator(origin)];
    const responses: object[] = [];
    for (const device of devices) responses.push(device.register(await beginAdding(browser)));
    const { database } = service;
    let answers: ReturnType<typeof add>[] = [];
    await database.transaction(async () => {
      // Inserts are blocked: without serialization both would have counted by now.
      await database.run(sql('test.lockPasskeys', 'lock table passkeys in share mode'));
      answers = database.outside(() => responses.map((response) => add(browser, response)));
      await lockAwaited(service, 2);
    });
    expect((await Promise.all(answers)).map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await listOf(browser)).toHaveLength(20);
  });

  test('that is added or removed is in the audit log, and so is a sign-in with it', async () => {
    const { browser, device, id, userId } = await withPasskey();
    await signIn(device.answer(await beginSignIn()));
    await browser.post(`/api/app/passkeys/${id}/remove`, { password });
    const events = await service.database.query(
      sql('test.passkeyEvents', 'select event, details from audit_log where user_id = $1 order by id').holds<{
        event: string;
      }>(),
      [userId],
    );
    expect(events).toMatchObject([
      { event: 'sign-in.succeeded' },
      { event: 'passkey.added', details: { id, name: 'Phone' } },
      { event: 'sign-in.succeeded', details: { passkey: true } },
      { event: 'passkey.removed', details: { id, name: 'Phone' } },
    ]);
  });

  test('is offered to a device that has none yet, and has to be unlocked', async () => {
    const { browser } = await withPasskey();
    expect(await beginAdding(browser)).toMatchObject({
      excludeCredentials: [{ id: expect.any(String) }],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    expect(await beginSignIn()).toMatchObject({ userVerification: 'required' });
  });

  test('is added only with the password', async () => {
    const { browser } = await signedIn();
    const begin = (secret: string) => browser.post('/api/app/passkeys/begin', { password: secret });
    expect(await begin('wrong horse')).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'password', code: 'WrongPassword' }] },
    });
    expect(await begin('')).toMatchObject({ status: 400 });
    expect(await begin(password)).toMatchObject({
      status: 200,
      body: {
        options: { rp: { id: 'posthorn.example.com' }, authenticatorSelection: { userVerification: 'required' } },
      },
    });
  });

  test('that nobody asked for, and nonsense, are refused, and nothing is stored', async () => {
    const { browser } = await signedIn();
    const made = {
      id: 'x',
      rawId: 'x',
      type: 'public-key',
      response: { clientDataJSON: 'e30', attestationObject: 'oA' },
    };
    for (const response of [made, {}, { id: 1 }, { response: null }]) {
      expect(await browser.post('/api/app/passkeys', { name: 'Phone', response })).toMatchObject({
        status: 400,
        body: { code: 'BadInput', issues: [{ path: 'response' }] },
      });
    }
    expect((await browser.get('/api/app/passkeys')).body.passkeys).toEqual([]);
  });

  test('that is not known signs nobody in', async () => {
    const browser = service.browser();
    expect((await browser.post('/api/auth/passkeys/begin')).status).toBe(200);
    for (const response of [{}, { id: 'x' }, { id: 7 }]) {
      expect(await browser.post('/api/auth/passkeys', { response })).toMatchObject({ status: 401 });
    }
  });
});

test.each([
  ['http://posthorn.test', /need https/],
  ['http://192.168.1.7:4000', /need a host name/],
  ['https://192.168.1.7', /need a host name/],
  ['https://[2001:db8::1]', /need a host name/],
  ['http://127.0.0.1:4000', /work at localhost. Open http:\/\/localhost:4000,/],
  ['http://[::1]:4000', /work at localhost. Open http:\/\/localhost:4000,/],
])('at %s the app says that passkeys cannot work, and why', async (baseUrl, reason) => {
  const passkeys = createPasskeys({
    store: createPasskeyStore(service.database),
    baseUrl,
    clock: { now: () => new Date() },
  });
  expect(passkeys.unavailable).toMatch(reason);
  await expect(passkeys.beginSignIn()).rejects.toThrow(reason);
});

test('on this computer passkeys work without https', () => {
  const store = createPasskeyStore(service.database);
  const clock = { now: () => new Date() };
  for (const baseUrl of ['http://localhost:4000', 'http://posthorn.localhost:4000']) {
    expect(createPasskeys({ store, baseUrl, clock }).unavailable).toBeUndefined();
  }
});

test('an address begins and ends a limited number of sign-ins with a passkey an hour', async () => {
  const strict = await startService({ SIGN_INS_PER_HOUR: '3', BASE_URL: origin });
  try {
    strict.wallClock.toNext(3_600_000);
    const statuses = [];
    for (let tries = 0; tries < 2; tries++) {
      statuses.push((await strict.browser().post('/api/auth/passkeys/begin')).status);
      statuses.push((await strict.browser().post('/api/auth/passkeys', { response: {} })).status);
    }
    expect(statuses).toEqual([200, 401, 200, 429]);
    expect((await strict.browser().post('/api/auth/passkeys/begin')).status).toBe(429);
  } finally {
    await strict.stop();
  }
});

test('after a reset the new password is asked for, because the person knows it', async () => {
  const { email } = await service.addMember('editor');
  const { path } = await service.posthorn.userAdministration.newPasswordPath(email);
  const browser = service.browser();
  const secret = path.split('/').at(-1);
  const { body } = await browser.post('/api/auth/password/reset', { secret, password: 'another horse' });
  expect(body.user).toMatchObject({ hasPassword: true, asksPassword: true });
  expect((await browser.post('/api/app/passkeys/begin', { password: '' })).status).toBe(400);
});
