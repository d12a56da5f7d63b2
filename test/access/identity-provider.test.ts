import { generateKeyPairSync } from 'node:crypto';
import { type CryptoKey, decodeJwt, decodeProtectedHeader, exportSPKI, importJWK, type JWK, UnsecuredJWT } from 'jose';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readConfig } from '#server/base/config/config';
import { sql } from '#server/base/store/database';
import { rotateKeys } from '#server/wiring/cli/keys';
import {
  answerOf,
  approve,
  authorizeUrl,
  codeFor,
  type Documents,
  decide,
  type Identity,
  questionOf,
  redeem,
  startDocuments,
  startIdentity,
  tokenFor,
} from '#test/support/identity';

let documents: Documents;
let identity: Identity;
let clientId: string;

beforeAll(async () => {
  documents = await startDocuments();
  identity = await startIdentity({ documents, options: { hasConsent: async (userId) => userId === 'usr_ann' } });
  clientId = documents.client();
});

afterAll(async () => {
  await identity.stop();
  documents.stop();
  expect(identity.errors).toEqual([]);
});

const metadata = async (path: string) => {
  const response = await identity.browser().request('GET', path);
  return { status: response.status, body: JSON.parse(response.text) };
};

/** The error that the client of a signed-in user gets directly, without a page in between. */
const refusal = async (changes: Record<string, string | null>, user: string | undefined = 'usr_ann') =>
  answerOf(await identity.browser(user).go(authorizeUrl(identity, clientId, changes)));

describe('what clients read first', () => {
  test('the metadata is at all four addresses', async () => {
    const paths = [
      '/auth/.well-known/openid-configuration',
      '/auth/.well-known/oauth-authorization-server',
      '/.well-known/openid-configuration/auth',
      '/.well-known/oauth-authorization-server/auth',
    ];
    for (const path of paths) {
      const { status, body } = await metadata(path);
      expect(status, path).toBe(200);
      expect(body).toMatchObject({
        issuer: `${identity.url}/auth`,
        authorization_endpoint: `${identity.url}/auth/authorize`,
        token_endpoint: `${identity.url}/auth/token`,
        jwks_uri: `${identity.url}/auth/jwks`,
        client_id_metadata_document_supported: true,
        registration_endpoint: `${identity.url}/auth/register`,
        code_challenge_methods_supported: ['S256'],
        response_types_supported: ['code'],
      });
    }
  });

  test.each(['/auth/.well-known/openid-configuration', '/.well-known/oauth-authorization-server/auth'])(
    'a forged host changes no address in %s',
    async (path) => {
      const forged = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
      // fetch does not allow setting the host header.
      const answer = await request(identity.url + path, { headers: forged });
      const body = (await answer.body.json()) as Record<string, unknown>;
      expect(JSON.stringify(body)).not.toContain('evil.example');
      expect(body.token_endpoint).toBe(`${identity.url}/auth/token`);
    },
  );

  test('the keys have no private part', async () => {
    const { body } = await metadata('/auth/jwks');
    expect(body.keys).toEqual([expect.objectContaining({ kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig' })]);
    expect(body.keys[0]).not.toHaveProperty('d');
  });
});

describe('sign-in and consent', () => {
  const asked = async (...[browser, page]: Parameters<typeof questionOf>) =>
    (await questionOf(browser, page)).body.scopes.map(({ scope }) => scope);

  test('somebody who is not signed in goes to the sign-in page and comes back to the question', async () => {
    const browser = identity.browser();
    const signIn = new URL((await browser.go(authorizeUrl(identity, clientId))).url);
    expect(signIn.pathname).toBe('/sign-in');
    const next = signIn.searchParams.get('next') ?? '';
    expect(next).toMatch(/^\/auth\/interaction\/[\w-]+$/);
    browser.set('user', 'usr_ann');
    const page = await browser.go(next);
    expect(new URL(page.url).pathname).toMatch(/^\/consent\/[\w-]+$/);
    expect(await asked(browser, page)).toEqual(['posts:read', 'posts:write']);
  });

  test('the page says who asks, where it leads, for whom and in which workspace', async () => {
    const browser = identity.browser('usr_ann');
    const { body } = await questionOf(browser, await browser.go(authorizeUrl(identity, clientId)));
    expect(body).toEqual({
      client: { name: 'Desk', host: documents.host },
      leadsTo: 'desk.example.com',
      onThisComputer: false,
      scopes: [
        { scope: 'posts:read', words: 'Read posts, accounts, media, limits and statistics' },
        { scope: 'posts:write', words: 'Create and edit drafts' },
      ],
      email: 'usr_ann@example.com',
      workspace: 'Demo',
    });
  });

  test('a name cannot turn the text around it', async () => {
    const browser = identity.browser('usr_ann');
    const id = documents.client({ client_name: '<b>De\u202Esk</b>\u0000' });
    const { body } = await questionOf(browser, await browser.go(authorizeUrl(identity, id)));
    expect(body.client.name).toBe('<b>Desk</b>');
  });

  test('an app on the own computer may choose its port, and the page warns', async () => {
    const id = documents.client({ redirect_uris: ['http://127.0.0.1/done', 'http://localhost:8000/done'] });
    for (const redirect_uri of ['http://127.0.0.1:50123/done', 'http://localhost:50124/done']) {
      const browser = identity.browser('usr_ann');
      const page = await browser.go(authorizeUrl(identity, id, { redirect_uri }));
      expect((await questionOf(browser, page)).body.onThisComputer).toBe(true);
      const code = answerOf(await approve(browser, page)).code ?? '';
      expect((await redeem(identity, id, code, { redirect_uri })).status).toBe(200);
    }
  });

  test('approved: an access token of one hour for /mcp with the ticked scopes, and no refresh token', async () => {
    const id = documents.client({ grant_types: ['authorization_code', 'refresh_token'], scope: 'openid posts:read' });
    const { status, body } = await redeem(identity, id, await codeFor(identity, id, { scopes: ['posts:write'] }));
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600, scope: 'posts:write' });
    expect(body).not.toHaveProperty('refresh_token');
    const token = body.access_token ?? '';
    expect(decodeProtectedHeader(token)).toMatchObject({ alg: 'ES256', typ: 'at+jwt' });
    const { iat = 0, exp = 0, ...claims } = decodeJwt(token);
    expect(exp - iat).toBe(3600);
    expect(claims).toMatchObject({
      iss: `${identity.url}/auth`,
      aud: `${identity.url}/mcp`,
      sub: 'usr_ann',
      client_id: id,
      scope: 'posts:write',
    });
    expect(await identity.provider.verifyAccessToken(token)).toMatchObject({
      userId: 'usr_ann',
      clientId: id,
      scopes: new Set(['posts:write']),
    });
  });

  test('a request without resource is for /mcp', async () => {
    const token = await tokenFor(identity, clientId, { changes: { resource: null } });
    expect(decodeJwt(token).aud).toBe(`${identity.url}/mcp`);
  });

  test('a scope that was not ticked can be asked for again', async () => {
    const browser = identity.browser('usr_ann');
    const first = await browser.go(authorizeUrl(identity, clientId));
    expect(answerOf(await approve(browser, first, ['posts:read']))).toHaveProperty('code');
    const second = await browser.go(authorizeUrl(identity, clientId));
    expect(await asked(browser, second)).toEqual(['posts:read', 'posts:write']);
    const { code = '' } = answerOf(await approve(browser, second));
    expect((await redeem(identity, clientId, code)).body.scope).toBe('posts:read posts:write');
  });

  test('a scope that was not asked for cannot be ticked', async () => {
    const code = await codeFor(identity, clientId, { scopes: ['posts:read', 'accounts:manage', 'email'] });
    expect((await redeem(identity, clientId, code)).body.scope).toBe('posts:read');
  });

  test.each([
    ['the button Cancel', { approve: false, scopes: ['posts:read'] }],
    ['nothing ticked', { approve: true, scopes: [] }],
  ])('%s is a refusal', async (_what, answered) => {
    const browser = identity.browser('usr_ann');
    const page = await browser.go(authorizeUrl(identity, clientId));
    const answer = answerOf(await decide(browser, page, answered));
    expect(answer).toMatchObject({ error: 'access_denied', state: 'state-1' });
    expect(answer).not.toHaveProperty('code');
    expect((await questionOf(browser, page)).status).toBe(404);
  });

  test('another browser cannot answer the question', async () => {
    const page = await identity.browser('usr_ann').go(authorizeUrl(identity, clientId));
    const other = identity.browser('usr_ann');
    expect((await questionOf(other, page)).status).toBe(404);
    expect((await approve(other, page, ['posts:read'])).status).toBe(404);
  });

  test('a question is not answered under the name of another', async () => {
    const browser = identity.browser('usr_ann');
    const page = await browser.go(authorizeUrl(identity, clientId));
    await browser.go(authorizeUrl(identity, clientId));
    const id = new URL(page.url).pathname.split('/').at(-1);
    // The cookie of a consent question belongs to its path; sent to another path, it must not count.
    const cookies = browser.cookies().filter(({ path }) => path.endsWith(`/${id}`));
    const thief = identity.browser('usr_ann');
    for (const { name, value } of cookies) thief.set(name, value);
    expect((await questionOf(thief, { ...page, url: `${identity.url}/consent/another` })).status).toBe(404);
  });

  test('nobody approves before they have signed in', async () => {
    const browser = identity.browser();
    const signIn = new URL((await browser.go(authorizeUrl(identity, clientId))).url);
    const page = { url: identity.url + signIn.searchParams.get('next'), status: 200, headers: new Headers(), text: '' };
    expect((await approve(browser, page, ['posts:read'])).status).toBe(404);
    browser.set('user', 'usr_ann');
    expect((await approve(browser, page, ['posts:read'])).status).toBe(404);
  });

  test('somebody else who signs in meanwhile does not answer for the first', async () => {
    const browser = identity.browser('usr_ann');
    const page = await browser.go(authorizeUrl(identity, clientId));
    browser.set('user', 'usr_bob');
    expect((await questionOf(browser, page)).status).toBe(404);
    expect((await approve(browser, page, ['posts:read'])).status).toBe(404);
    browser.set('user', 'usr_ann');
    expect((await questionOf(browser, page)).status).toBe(200);
  });

  test('the app session decides who it is, also when another used this browser before', async () => {
    const browser = identity.browser('usr_ann');
    await approve(browser, await browser.go(authorizeUrl(identity, clientId)));
    browser.set('user', 'usr_bob');
    const page = await browser.go(authorizeUrl(identity, clientId));
    expect((await questionOf(browser, page)).body.email).toBe('usr_bob@example.com');
    const { code = '' } = answerOf(await approve(browser, page));
    expect(decodeJwt((await redeem(identity, clientId, code)).body.access_token ?? '').sub).toBe('usr_bob');
  });

  test('signing out of the app ends the session of the provider', async () => {
    const browser = identity.browser('usr_ann');
    await browser.go(authorizeUrl(identity, clientId));
    const count = async () =>
      (await identity.database.query(sql('test.sessions', "select id from identity_records where model = 'Session'")))
        .length;
    const before = await count();
    await browser.request('POST', '/sign-out');
    expect(await count()).toBe(before - 1);
    expect(browser.cookies().map(({ name }) => name)).not.toContain('posthorn_provider');
    browser.remove('user');
    expect(new URL((await browser.go(authorizeUrl(identity, clientId))).url).pathname).toBe('/sign-in');
  });

  test('behind https every cookie is secure and every address https', async () => {
    const baseUrl = 'https://posthorn.example.com';
    const other = await startIdentity({ documents, options: { baseUrl } });
    const url = authorizeUrl(other, clientId, { resource: `${baseUrl}/mcp` });
    const { headers } = await other.browser().request('GET', url);
    const cookies = headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(1);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure; httponly|; httponly; secure/i);
    const { text } = await other.browser().request('GET', '/auth/.well-known/openid-configuration');
    expect(JSON.parse(text).token_endpoint).toBe(`${baseUrl}/auth/token`);
    await other.stop();
  });

  test('a consent is told to the audit log', async () => {
    const told: unknown[] = [];
    const other = await startIdentity({
      documents,
      options: {
        onConsent: async (consent) => {
          told.push(consent);
        },
      },
    });
    await codeFor(other, clientId, { scopes: ['posts:read'] });
    expect(told).toEqual([
      expect.objectContaining({ clientId, scopes: ['posts:read'], requestId: expect.any(String) }),
    ]);
    await other.stop();
  });
});

describe('a request that breaks the rules is refused', () => {
  test.each([
    ['without openid', { scope: 'posts:read' }, 'invalid_scope'],
    ['without scope', { scope: null }, 'invalid_scope'],
    ['without PKCE', { code_challenge: null, code_challenge_method: null }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['with PKCE of no method', { code_challenge_method: null }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example.com/mcp' }, 'invalid_target'],
    ['for no address', { resource: 'mcp' }, 'invalid_target'],
    ['for a token at once', { response_type: 'token' }, 'unsupported_response_type'],
    ['as a request object', { request: 'e30.e30.' }, 'request_not_supported'],
    ['with NUL in it', { nonce: 'a\0b' }, 'invalid_request'],
  ])('%s', async (_what, changes, error) => {
    expect(await refusal(changes)).toMatchObject({ error, state: 'state-1' });
  });

  test.each(['/mcp/', '/mcp#part', '', '/MCP'])('for the resource {base_url}%s', async (path) => {
    expect(await refusal({ resource: identity.url + path })).toMatchObject({ error: 'invalid_target' });
  });

  test('with a parameter twice', async () => {
    const url = `${authorizeUrl(identity, clientId)}&scope=openid`;
    expect(answerOf(await identity.browser('usr_ann').go(url))).toMatchObject({ error: 'invalid_request' });
  });

  test('silently for somebody who is not signed in at the provider yet', async () => {
    expect(await refusal({ prompt: 'none' })).toMatchObject({ error: 'login_required' });
  });

  /** RFC 9700, 4.11.2: otherwise anybody could register an address and use us as an open redirector. */
  describe('on a page of ours with a link, for a client that the person has not let in', () => {
    const wrong = [
      { prompt: 'none' },
      { scope: 'posts:write' },
      { scope: 'openid nonsense', prompt: 'none' },
      { code_challenge: null },
      { resource: 'https://other.example.com/mcp' },
      { response_type: 'token' },
      { response_mode: 'form_post', scope: 'posts:write' },
      { response_mode: 'fragment', scope: 'posts:write' },
    ] as const;
    const registered = async () => {
      const answer = await fetch(`${identity.url}/auth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['https://desk.example.com/done'] }),
      });
      return ((await answer.json()) as { client_id: string }).client_id;
    };

    test.each(wrong)('%j', async (changes) => {
      for (const id of [clientId, await registered()]) {
        for (const user of ['usr_bob', undefined]) {
          const page = await identity.browser(user).go(authorizeUrl(identity, id, changes));
          expect(page.status).toBe(400);
          expect(page.headers.get('location')).toBeNull();
          expect(page.text).not.toMatch(/<form|document\.forms/);
          expect(page.text).toMatch(/<a href="https:\/\/desk\.example\.com\/done\?error=\w+&amp;state=state-1"/);
          expect(page.text).toContain('Go back to desk.example.com');
          expect(page.headers.get('content-security-policy')).not.toContain('sha256');
        }
      }
    });

    test('but their own no leads back', async () => {
      const browser = identity.browser('usr_bob');
      const page = await decide(browser, await browser.go(authorizeUrl(identity, clientId)), { approve: false });
      expect(answerOf(page)).toMatchObject({ error: 'access_denied', state: 'state-1' });
    });
  });

  test.each([
    'https://evil.example/done',
    'https://desk.example.com/other',
    'https://desk.example.com/done/',
    'https://desk.example.com:8443/done',
    'http://desk.example.com/done',
    'http://localhost:3000/done',
    'javascript:alert(1)',
  ])('with the unknown redirect address %s, on a page of ours', async (redirect_uri) => {
    const page = await identity.browser('usr_ann').go(authorizeUrl(identity, clientId, { redirect_uri }));
    expect(page.status).toBe(400);
    expect(page.headers.get('location')).toBeNull();
    expect(page.text).toContain('This did not work');
  });

  test('with localhost for 127.0.0.1', async () => {
    const id = documents.client({ redirect_uris: ['http://127.0.0.1/done'] });
    const url = authorizeUrl(identity, id, { redirect_uri: 'http://localhost/done' });
    expect((await identity.browser('usr_ann').go(url)).status).toBe(400);
  });
});

describe('a code is worth one token, to the one it was made for', () => {
  test.each([
    ['the wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['another redirect address', { redirect_uri: 'https://desk.example.com/other' }],
  ])('not with %s', async (_what, changes) => {
    const code = await codeFor(identity, clientId);
    const { status, body } = await redeem(identity, clientId, code, changes);
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' });
  });

  test('not for another client', async () => {
    const code = await codeFor(identity, clientId);
    const { status, body } = await redeem(identity, documents.client(), code);
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_grant' });
  });

  test('not twice', async () => {
    const code = await codeFor(identity, clientId);
    expect((await redeem(identity, clientId, code)).status).toBe(200);
    expect((await redeem(identity, clientId, code)).body.error).toBe('invalid_grant');
  });

  test('not twice at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const code = await codeFor(identity, clientId);
      const answers = await Promise.all(Array.from({ length: 6 }, () => redeem(identity, clientId, code)));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400, 400]);
    }
  });

  test.each(['\0', 'a\0b', '', 'junk', '%'])('not when it is made up: %j', async (code) => {
    expect((await redeem(identity, clientId, code)).status).toBe(400);
  });

  test('not after a minute', async () => {
    const late = await startIdentity({ documents });
    const code = await codeFor(late, clientId);
    late.forward(61_000);
    expect((await redeem(late, clientId, code)).body.error).toBe('invalid_grant');
    expect(await late.provider.purge()).toBeGreaterThan(0);
    await late.stop();
  });

  test.each(['refresh_token', 'password', 'client_credentials', 'implicit'])(
    'not by the grant %s',
    async (grant_type) => {
      const changes = { grant_type, refresh_token: 'x', username: 'a', password: 'b' };
      expect((await redeem(identity, clientId, 'x', changes)).status).toBe(400);
    },
  );
});

describe('a client is what its document says', () => {
  const outcome = async (id: string, changes: Record<string, string | null> = {}) => {
    const before = documents.asked.length;
    const { status, text } = await identity.browser('usr_ann').go(authorizeUrl(identity, id, changes));
    return { status, fetches: documents.asked.length - before, text };
  };

  test('a document is read once and then remembered for a while', async () => {
    const id = documents.client();
    expect(await outcome(id)).toMatchObject({ status: 303, fetches: 1 });
    expect(await outcome(id)).toMatchObject({ status: 303, fetches: 0 });
  });

  test.each([
    ['http', () => `http://${documents.host}/client.json`],
    ['a fragment', () => `https://${documents.host}/client.json#a`],
    ['a user name', () => `https://me@${documents.host}/client.json`],
    ['dot segments', () => `https://${documents.host}/a/../client.json`],
    ['no path', () => `https://${documents.host}/`],
    ['no address', () => 'desk'],
    ['more characters than can be kept', () => `https://${documents.host}/${'c'.repeat(2_000)}.json`],
    ['10.0.0.0/8', () => 'https://10.1.2.3/client.json'],
    ['the metadata address of clouds', () => 'https://169.254.169.254/client.json'],
    ['IPv6 loopback', () => 'https://[::1]/client.json'],
    ['localhost', () => 'https://localhost/client.json'],
    ['a decimal address', () => 'https://2130706433/client.json'],
    ['a hexadecimal address', () => 'https://0x7f.1/client.json'],
    ['another port of an allowed host', () => 'https://127.0.0.1:1/client.json'],
  ])('an id with %s is refused without a fetch', async (_what, id) => {
    expect(await outcome(id())).toMatchObject({ status: 400, fetches: 0 });
  });

  const json = { 'content-type': 'application/json' };
  test.each([
    ['is not there', () => documents.answering((_req, res) => res.writeHead(404).end())],
    ['fails', () => documents.answering((_req, res) => res.writeHead(500).end())],
    ['moved', () => documents.answering((_req, res) => res.writeHead(302, { location: clientId }).end())],
    ['is too large', () => documents.client({ padding: 'x'.repeat(6000) })],
    ['never comes', () => documents.answering(() => undefined)],
    [
      'is HTML',
      () => documents.answering((_req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<p>')),
    ],
    ['says it is HTML', () => documents.client({}, { 'content-type': 'text/html' })],
    ['is a list', () => documents.answering((_req, res) => res.writeHead(200, json).end('[]'))],
    ['is not JSON', () => documents.answering((_req, res) => res.writeHead(200, json).end('{'))],
    ['names another id', () => documents.client({ client_id: 'https://desk.example.com/client.json' })],
    ['has a secret', () => documents.client({ client_secret: 'hush' })],
    ['wants a shared secret', () => documents.client({ token_endpoint_auth_method: 'client_secret_basic' })],
    ['has no redirect address', () => documents.client({ redirect_uris: undefined })],
    ['has no usable redirect address', () => documents.client({ redirect_uris: ['javascript:alert(1)', 'x://y'] })],
    ['has no name', () => documents.client({ client_name: undefined })],
    ['has an empty name', () => documents.client({ client_name: ' ' })],
  ])('a document that %s is refused after one fetch', async (_what, id) => {
    expect(await outcome(id())).toMatchObject({ status: 400, fetches: 1 });
  });

  test('a document that drips is given up', async () => {
    const id = documents.answering((_req, res) => {
      res.writeHead(200, json);
      const drip = setInterval(() => res.write(' '), 100);
      res.on('close', () => clearInterval(drip));
    });
    expect(await outcome(id)).toMatchObject({ status: 400, fetches: 1 });
  });

  test('a failed document is not asked for again for a minute, wherever the client names itself', async () => {
    let isUp = false;
    const id: string = documents.answering((_req, res) => {
      if (!isUp) return res.writeHead(503).end();
      const redirect_uris = ['https://desk.example.com/done'];
      res.writeHead(200, json).end(JSON.stringify({ client_id: id, client_name: 'Desk', redirect_uris }));
    });
    expect(await outcome(id)).toMatchObject({ status: 400, fetches: 1 });
    isUp = true;
    expect(await outcome(id)).toMatchObject({ status: 400, fetches: 0 });
    const before = documents.asked.length;
    expect((await redeem(identity, id, 'made up')).body.error).toBe('invalid_client');
    expect(documents.asked.length).toBe(before);
    identity.forward(60_000);
    onTestFinished(() => identity.forward(-60_000));
    expect(await outcome(id)).toMatchObject({ status: 303, fetches: 1 });
  });

  test('a document that fails at the token endpoint is fetched once a minute too', async () => {
    const id = documents.answering((_req, res) => res.writeHead(404).end());
    const before = documents.asked.length;
    for (let i = 0; i < 3; i++) expect((await redeem(identity, id, 'made up')).body.error).toBe('invalid_client');
    expect(documents.asked.length - before).toBe(1);
  });

  test('of its redirect addresses only https and this computer count', async () => {
    const bad = ['javascript:alert(1)', 'http://desk.example.com/done', 'desk://done'];
    const id = documents.client({ redirect_uris: [...bad, 'https://desk.example.com/done'] });
    for (const redirect_uri of bad) expect(await outcome(id, { redirect_uri })).toMatchObject({ status: 400 });
    expect(await outcome(id)).toMatchObject({ status: 303 });
  });
});

describe('an access token is checked', () => {
  const verify = (token: string) => identity.provider.verifyAccessToken(token);
  const foreignKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
  const foreign = async () => (await importJWK(foreignKey() as JWK, 'ES256')) as CryptoKey;

  test('a good one counts, also one of our own making', async () => {
    expect(await verify(await identity.token())).toMatchObject({ userId: 'usr_ann' });
  });

  test.each(['', 'junk', 'a.b', 'a.b.c', 'x'.repeat(12_000), `${'e30.'.repeat(3000)}`])(
    'junk is refused: %#',
    async (text) => {
      expect(await verify(text)).toBeUndefined();
    },
  );

  const now = () => Math.floor(identity.clock.now().getTime() / 1000);
  test.each([
    ['the audience base_url', () => ({ aud: identity.url })],
    ['the audience /api', () => ({ aud: `${identity.url}/api` })],
    ['no audience', () => ({ aud: null })],
    ['another issuer', () => ({ iss: 'https://evil.example/auth' })],
    ['an issuer with a slash more', () => ({ iss: `${identity.url}/auth/` })],
    ['an hour gone by', () => ({ iat: now() - 3610, exp: now() - 10 })],
    ['no end', () => ({ exp: null })],
    ['no beginning', () => ({ iat: null })],
    ['no subject', () => ({ sub: null })],
    ['no client', () => ({ client_id: null })],
    ['no id', () => ({ jti: null })],
    ['a beginning in the future', () => ({ nbf: now() + 60 })],
    ['a user we do not know', () => ({ sub: 'usr_gone' })],
  ])('one with %s is refused', async (_what, claims) => {
    expect(await verify(await identity.token(claims() as Record<string, string>))).toBeUndefined();
  });

  test('an ID token is refused', async () => {
    const { body } = await redeem(identity, clientId, await codeFor(identity, clientId));
    expect(await verify(body.id_token ?? '')).toBeUndefined();
    expect(await verify(await identity.token({}, { typ: 'JWT' }))).toBeUndefined();
  });

  test('one without signature is refused', async () => {
    const claims = decodeJwt(await identity.token());
    expect(await verify(new UnsecuredJWT(claims).encode())).toBeUndefined();
  });

  test('one signed with the public key as a secret is refused', async () => {
    const kid = (await identity.keyRows())[0]?.id ?? '';
    const [publicKey] = (await metadata('/auth/jwks')).body.keys;
    const pem = await exportSPKI((await importJWK(publicKey, 'ES256', { extractable: true })) as CryptoKey);
    expect(await verify(await identity.token({}, { alg: 'HS256', kid }, Buffer.from(pem)))).toBeUndefined();
  });

  test('one of an unknown or another key is refused', async () => {
    expect(await verify(await identity.token({}, { kid: 'unknown' }, await foreign()))).toBeUndefined();
    expect(await verify(await identity.token({}, {}, await foreign()))).toBeUndefined();
  });

  test('one that brings its own key or demands the unknown is refused', async () => {
    const key = foreignKey() as JWK;
    const signer = (await importJWK(key, 'ES256')) as CryptoKey;
    const { d: _private, ...jwk } = key;
    expect(await verify(await identity.token({}, { kid: 'x', jwk }, signer))).toBeUndefined();
    expect(
      await verify(await identity.token({}, { kid: 'x', jku: 'https://evil.example/jwks' }, signer)),
    ).toBeUndefined();
    const [header, ...rest] = (await identity.token()).split('.');
    const critical = { ...JSON.parse(Buffer.from(header ?? '', 'base64url').toString()), crit: ['x'], x: 1 };
    const forged = [Buffer.from(JSON.stringify(critical)).toString('base64url'), ...rest].join('.');
    expect(await verify(forged)).toBeUndefined();
  });

  test('one with a changed payload is refused', async () => {
    const [header, payload, signature] = (await identity.token()).split('.');
    const claims = { ...JSON.parse(Buffer.from(payload ?? '', 'base64url').toString()), scope: 'accounts:manage' };
    const changed = Buffer.from(JSON.stringify(claims)).toString('base64url');
    expect(await verify(`${header}.${changed}.${signature}`)).toBeUndefined();
  });

  test('scopes that are none of ours are left out', async () => {
    const token = await identity.token({ scope: 'openid posts:read admin constructor' });
    expect((await verify(token))?.scopes).toEqual(new Set(['posts:read']));
  });

  test('none counts that is older than the moment its user was forgotten, and no session or grant is left', async () => {
    const other = await startIdentity({ documents });
    const token = await tokenFor(other, clientId);
    const code = await codeFor(other, clientId);
    expect(await other.provider.verifyAccessToken(token)).toBeDefined();
    other.forward(1000);
    await other.provider.forgetUser('usr_ann');
    expect(await other.provider.verifyAccessToken(token)).toBeUndefined();
    expect((await redeem(other, clientId, code)).body.error).toBe('invalid_grant');
    const left = sql('test.left', "select id from identity_records where payload::text like '%usr_ann%'");
    expect(await other.database.query(left)).toEqual([]);
    other.forward(1000);
    expect(await other.provider.verifyAccessToken(await other.token())).toBeDefined();
    await other.stop();
  });

  test('what another instance decides is felt within a minute', async () => {
    const other = await startIdentity({ documents });
    const second = await other.create();
    const token = await other.token();
    expect(await second.verifyAccessToken(token)).toBeDefined();
    other.forward(1000);
    await other.provider.forgetUser('usr_ann');
    other.forward(60_000);
    expect(await second.verifyAccessToken(token)).toBeUndefined();
    second.stop();
    await other.stop();
  });
});

describe('signing keys', () => {
  const minutes = 60_000;
  let keys: Identity;
  beforeAll(async () => {
    keys = await startIdentity({ documents });
  });
  afterAll(() => keys.stop());

  const signer = async () => decodeProtectedHeader(await tokenFor(keys, clientId)).kid;

  test('instances that start at the same time make one key', async () => {
    const fresh = await startIdentity({ documents });
    await fresh.database.run(sql('test.noKeys', 'delete from signing_keys'));
    const instances = await Promise.all([fresh.create(), fresh.create(), fresh.create()]);
    expect(await fresh.keyRows()).toHaveLength(1);
    for (const instance of instances) instance.stop();
    await fresh.stop();
  });

  test('the private part is sealed', async () => {
    const [row] = await keys.keyRows();
    expect(row?.sealedPrivateKey).toMatch(/^v1\.k1\.[\w-]+$/);
    expect(() => keys.seal.open(row?.sealedPrivateKey ?? '', 'signing_keys:other:sealed_private_key')).toThrow();
  });

  test('rotation publishes a key, lets it sign after ten minutes, and drops the old one when its tokens have ended', async () => {
    const second = await keys.create();
    const old = await signer();
    const longLived = await keys.token({ exp: Math.floor(keys.clock.now().getTime() / 1000) + 86_400 });
    const said = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    onTestFinished(() => said.mockRestore());
    await rotateKeys(readConfig(keys.settings), {}, []);
    const { id } = JSON.parse(said.mock.lastCall?.[0]);
    await keys.provider.readSigningKeys();
    const published = async () => {
      const { text } = await keys.browser().request('GET', '/auth/jwks');
      return JSON.parse(text).keys.map(({ kid }: JWK) => kid);
    };
    expect(await published()).toHaveLength(2);
    expect(await signer()).toBe(old);

    keys.forward(10 * minutes);
    await keys.provider.readSigningKeys();
    const fresh = await tokenFor(keys, clientId);
    const { kid } = decodeProtectedHeader(fresh);
    expect(kid).not.toBe(old);
    expect(kid).toBe(id);
    expect(await second.verifyAccessToken(fresh)).toBeDefined();
    expect(await keys.provider.verifyAccessToken(longLived)).toBeDefined();

    keys.forward(71 * minutes);
    await keys.provider.readSigningKeys();
    expect(await published()).toEqual([kid]);
    expect(await keys.provider.verifyAccessToken(longLived)).toBeUndefined();
    await keys.provider.purge();
    expect(await keys.keyRows()).toHaveLength(1);
    second.stop();
  });
});
