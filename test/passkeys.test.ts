import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPasskeys } from '#server/passkeys/passkeys';
import { createPasskeyStore } from '#server/passkeys/store';
import { type Service, startService } from '#test/support/service';

let service: Service;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000', BASE_URL: 'https://posthorn.example.com' });
});
afterAll(() => service?.stop());

const password = 'correct horse';
const signedIn = async () => {
  const { email, userId } = await service.addMember('editor');
  const browser = service.browser();
  await browser.signIn(email);
  return { browser, userId };
};

describe('a passkey', () => {
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
  expect(createPasskeys({ store, baseUrl: 'http://localhost:4000', clock }).unavailable).toBeUndefined();
});

test('after a reset the new password is asked for, because the person knows it', async () => {
  const { email } = await service.addMember('editor');
  const { path } = await service.posthorn.helpDesk.newPasswordPath(email);
  const browser = service.browser();
  const secret = path.split('/').at(-1);
  const { body } = await browser.post('/api/auth/password/reset', { secret, password: 'another horse' });
  expect(body.user).toMatchObject({ hasPassword: true, asksPassword: true });
  expect((await browser.post('/api/app/passkeys/begin', { password: '' })).status).toBe(400);
});
