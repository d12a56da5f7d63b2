import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutsideIdentity, type OutsideIdentity } from '#server/access/auth/identity-provider/outside';
import { readConfig } from '#server/base/config/config';
import { sql } from '#server/base/store/database';
import { approve, type Documents, type Identity, startDocuments, startIdentity } from '#test/support/identity';

/** The embedded provider of another Posthorn plays the company's own. */
let documents: Documents;
let company: Identity;
let ours: OutsideIdentity;
const baseUrl = 'https://posthorn.example.com';
const client = {
  client_id: 'posthorn',
  client_secret: 'a secret between the two of them',
  token_endpoint_auth_method: 'client_secret_basic',
  redirect_uris: [`${baseUrl}/sign-in/callback`],
} as const;

const outsideAt = (issuer: string, changes: { clientSecret?: string; trustEmail?: boolean } = {}) =>
  createOutsideIdentity({
    issuer,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    trustEmail: true,
    baseUrl,
    database: company.database,
    seal: company.seal,
    distrustTokens: company.distrustTokens,
    clock: company.clock,
    log: pino({ level: 'silent' }),
    ...changes,
  });

beforeAll(async () => {
  documents = await startDocuments();
  company = await startIdentity({ documents, options: { clients: [client] } });
  ours = outsideAt(`${company.url}/auth`);
  const insert = sql('test.outsider', "insert into users (id, email, subject) values ($1, 'ann@ours.example', $2)");
  await company.database.run(insert, ['usr_ours', 'usr_ann']);
});

afterAll(async () => {
  await company.stop();
  documents.stop();
});

const begin = (next: string) => ours.outsideSignIn.begin(next);
const finish = (callbackUrl: string, state: string) => ours.outsideSignIn.finish(callbackUrl, state);

/** To the company and back: the address of our callback. */
const comeBack = async (url: string) => {
  const browser = company.browser('usr_ann');
  const back = new URL((await approve(browser, await browser.go(url))).url);
  expect(back.origin + back.pathname).toBe(`${baseUrl}/sign-in/callback`);
  return back.href;
};

describe('signing in to the app', () => {
  test('somebody comes back with their subject, their address and where they wanted to go', async () => {
    const { url, state } = await begin('/posts');
    const person = { subject: 'usr_ann', email: 'usr_ann@example.com', next: '/posts', code: '' };
    expect(await finish(await comeBack(url), state)).toEqual(person);
  });

  test('a cookie hides what it keeps', async () => {
    const { state } = await begin('/posts');
    expect(state).toMatch(/^v1\.k1\.[\w-]+$/);
  });

  test('an answer for another browser is refused', async () => {
    const { url } = await begin('/');
    const { state } = await begin('/');
    await expect(finish(await comeBack(url), state)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test.each(['', 'junk', 'v1.k1.AAAA'])('a cookie that is not ours is refused: %j', async (state) => {
    const { url } = await begin('/');
    await expect(finish(await comeBack(url), state)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test('an answer is taken once', async () => {
    const { url, state } = await begin('/');
    const callback = await comeBack(url);
    await finish(callback, state);
    await expect(finish(callback, state)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test('an answer that took more than a quarter of an hour is refused', async () => {
    const { url, state } = await begin('/');
    company.forward(16 * 60_000);
    await expect(finish(await comeBack(url), state)).rejects.toMatchObject({ code: 'Unauthorized' });
    company.forward(-16 * 60_000);
  });

  test('a refusal at the provider is a refusal here', async () => {
    const { url, state } = await begin('/');
    const query = new URLSearchParams({
      error: 'access_denied',
      state: new URL(url).searchParams.get('state') ?? '',
      iss: `${company.url}/auth`,
    });
    await expect(finish(`${baseUrl}/sign-in/callback?${query}`, state)).rejects.toMatchObject({ code: 'Unauthorized' });
  });

  test('with the wrong client secret nobody signs in', async () => {
    const wrong = outsideAt(`${company.url}/auth`, { clientSecret: 'guessed' });
    const { url, state } = await wrong.outsideSignIn.begin('/');
    await expect(wrong.outsideSignIn.finish(await comeBack(url), state)).rejects.toMatchObject({
      code: 'Unauthorized',
    });
  });
});

describe('access tokens', () => {
  test('one of the provider for our /mcp acts as the user with that subject', async () => {
    const token = await company.token({ aud: `${baseUrl}/mcp` });
    expect(await ours.verifyAccessToken(token)).toMatchObject({ userId: 'usr_ours', scopes: new Set(['posts:read']) });
  });

  test.each([
    ['the /mcp of somebody else', {}],
    ['a subject that is nobody here', { aud: `${baseUrl}/mcp`, sub: 'usr_bob' }],
    ['another issuer', { aud: `${baseUrl}/mcp`, iss: 'https://evil.example' }],
  ])('one for %s is refused', async (_what, claims) => {
    expect(await ours.verifyAccessToken(await company.token(claims))).toBeUndefined();
  });

  test('one from before its user was forgotten is refused', async () => {
    const token = await company.token({ aud: `${baseUrl}/mcp` });
    expect(await ours.verifyAccessToken(token)).toBeDefined();
    company.forward(1000);
    await ours.forgetUser('usr_ours');
    expect(await ours.verifyAccessToken(token)).toBeUndefined();
  });

  test('while the provider is away nobody is told that their token is wrong', async () => {
    const away = outsideAt('http://127.0.0.1:1/auth');
    const token = await company.token({ aud: `${baseUrl}/mcp` });
    await expect(away.verifyAccessToken(token)).rejects.toMatchObject({ code: 'Internal', status: 503 });
    await expect(away.outsideSignIn.begin('/')).rejects.toMatchObject({ code: 'Internal', status: 503 });
  });

  test('keys that cannot be read are our trouble too', async () => {
    const fresh = await startIdentity({ documents, options: { clients: [client] } });
    const outside = outsideAt(`${fresh.url}/auth`);
    await outside.outsideSignIn.begin('/');
    const token = await fresh.token({ aud: `${baseUrl}/mcp` });
    await fresh.stop();
    await expect(outside.verifyAccessToken(token)).rejects.toMatchObject({ code: 'Internal', status: 503 });
  });
});

describe('settings', () => {
  const production = { NODE_ENV: 'production', EMBEDDED_DATABASE: 'true' };

  test('AUTH_URL takes a client', () => {
    const settings = { AUTH_URL: 'https://id.example.com', AUTH_CLIENT_ID: 'posthorn' };
    expect(readConfig(settings).outsideProvider).toEqual({
      issuer: 'https://id.example.com',
      clientId: 'posthorn',
      trustEmail: false,
    });
    expect(() => readConfig({ AUTH_URL: 'https://id.example.com' })).toThrow('AUTH_CLIENT_ID is not set');
    expect(() => readConfig({ ...settings, AUTH_URL: 'id.example.com' })).toThrow('AUTH_URL must be');
  });

  test('in production everything is https', () => {
    expect(() => readConfig(production)).toThrow('BASE_URL is not set');
    expect(() => readConfig({ ...production, BASE_URL: 'http://posthorn.example.com' })).toThrow('BASE_URL is http://');
    const plain = { AUTH_URL: 'http://id.example.com', AUTH_CLIENT_ID: 'posthorn' };
    expect(() => readConfig({ ...production, BASE_URL: baseUrl, ...plain })).toThrow('AUTH_URL must begin');
    expect(readConfig({ ...production, BASE_URL: baseUrl }).baseUrl).toBe(baseUrl);
  });
});
