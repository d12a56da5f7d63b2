import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { actions } from '#generated/catalog';
import { mcpTools } from '#generated/mcp-tools';
import { openDatabase, sql } from '#server/base/store/database';
import { type Browser, createBrowser } from '#test/support/browser';
import { answerOf, approve, type Documents, decide, questionOf, startDocuments } from '#test/support/identity';
import { openPosthorn } from '#test/support/posthorn';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

/** Real clients with nothing but an address: challenge, discovery, sign-in, consent, code, token, tools. */

let documents: Documents;
let service: Service;
const folder = mkdtempSync(join(tmpdir(), 'posthorn-ca-'));
beforeAll(async () => {
  documents = await startDocuments();
  const ca = join(folder, 'ca.pem');
  writeFileSync(ca, documents.cert);
  const settings = { OUTBOUND_ALLOW: documents.host, OUTBOUND_CA: ca, SIGN_INS_PER_HOUR: '1000' };
  service = await startService(settings, { ownAddress: true });
});
afterAll(async () => {
  await service.stop();
  documents.stop();
  rmSync(folder, { recursive: true });
});

const redirectUrl = 'http://127.0.0.1:7777/done';

/** The human: follows the client's address, signs in where the page asks for it, and ticks the scopes. */
const human = (scopes?: readonly string[]) => {
  const browser: Browser = createBrowser(service.url);
  return async (authorizationUrl: string) => {
    let page = await browser.go(authorizationUrl);
    if (new URL(page.url).pathname === '/sign-in') {
      const session = service.browser();
      await session.signIn();
      browser.set(...(session.cookie().split('=') as [string, string]));
      page = await browser.go(new URL(page.url).searchParams.get('next') ?? '');
    }
    const { body: consent } = await questionOf(browser, page);
    return { consent, back: await approve(browser, page, scopes) };
  };
};

/** What a client stores, as on its user's machine. */
const memory = ({ hasDocument = true } = {}) => {
  const kept: { client?: never; tokens?: never; verifier: string; asked: string; discovery?: never } = {
    verifier: '',
    asked: '',
  };
  const clientId = documents.client({ client_name: 'Desk Agent', redirect_uris: [redirectUrl] });
  const provider = {
    redirectUrl,
    ...(hasDocument && { clientMetadataUrl: clientId }),
    clientMetadata: { client_name: 'Desk Agent', redirect_uris: [redirectUrl] },
    state: () => 'the-state',
    clientInformation: () => kept.client,
    saveClientInformation: (client: unknown) => {
      kept.client = client as never;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: unknown) => {
      kept.tokens = tokens as never;
    },
    redirectToAuthorization: (url: URL) => {
      kept.asked = url.href;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier,
    discoveryState: () => kept.discovery,
    saveDiscoveryState: (state: unknown) => {
      kept.discovery = state as never;
    },
  };
  return { kept, provider, clientId };
};

const endpoint = () => new URL('/mcp', service.url);
const info = { name: 'desk', version: '1' };
interface Connected {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
}

const modern =
  (options: ConstructorParameters<typeof ModernClient>[1]) =>
  async (answer: ReturnType<typeof human>, { kept, provider, clientId } = memory()) => {
    const transport = () => new ModernTransport(endpoint(), { authProvider: provider });
    const first = transport();
    await expect(new ModernClient(info, options).connect(first)).rejects.toThrow();
    const { back, consent } = await answer(kept.asked);
    await first.finishAuth(new URL(back.url).searchParams);
    const client = new ModernClient(info, options);
    await client.connect(transport());
    return { client: client as unknown as Connected, kept, consent, clientId };
  };

const old = async (answer: ReturnType<typeof human>, { kept, provider } = memory()) => {
  const transport = () => new OldTransport(endpoint(), { authProvider: provider });
  const first = transport();
  await expect(new OldClient(info).connect(first as never)).rejects.toThrow();
  const { back, consent } = await answer(kept.asked);
  await first.finishAuth(answerOf(back).code ?? '');
  const client = new OldClient(info);
  await client.connect(transport() as never);
  return { client: client as unknown as Connected, kept, consent };
};

describe.each([
  ['@modelcontextprotocol/client 2.x, legacy', modern({})],
  ['@modelcontextprotocol/client 2.x, auto', modern({ versionNegotiation: { mode: 'auto' } })],
  [
    '@modelcontextprotocol/client 2.x, pinned to 2026-07-28',
    modern({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
  ],
  ['@modelcontextprotocol/sdk 1.x', old],
])('%s', (_name, connect) => {
  test('signs in, is told what it may do, lists the tools and calls every one', async () => {
    const { client, kept, consent } = await connect(human());
    expect(new URL(kept.asked).searchParams.get('resource')).toBe(`${service.url}/mcp`);
    expect(consent).toMatchObject({ client: { name: 'Desk Agent' }, onThisComputer: true });
    expect(kept.tokens).toMatchObject({ expires_in: 3600 });
    expect(kept.tokens).not.toHaveProperty('refresh_token');

    const { tools } = await client.listTools();
    expect(tools).toHaveLength(mcpTools.filter(({ listing }) => listing === 'Listed').length);
    const account = await service.addAccount('bluesky');
    for (const { name } of tools) {
      const { id } = await service.client.posts.create({ body: 'Hello', accountIds: [account] });
      const action = name.replace('_', '.') as keyof typeof actions;
      const aimed = JSON.stringify(actions[action].examples[0]?.input)
        .replaceAll(/post_[0-9A-Z]{26}/g, id)
        .replaceAll(/acct_[0-9A-Z]{26}/g, account);
      const { baseUpdatedAt: _, ...input } = JSON.parse(aimed);
      // Examples grow old.
      if ('at' in input) input.at = new Date(Date.now() + 86_400_000).toISOString();
      const result = await client.callTool({ name, arguments: input });
      expect(result).toMatchObject({ content: [{ type: 'text' }], structuredContent: expect.any(Object) });
      const needsApproval = actions[action].kind === 'NeedsApproval';
      if (needsApproval) {
        expect((result as { structuredContent: object }).structuredContent).toEqual({
          status: 'pending_approval',
          action,
          approvalUrl: expect.stringMatching(new RegExp(`^${service.url}/approvals/card_`)),
        });
      }
    }
    await client.close();
  });
});

test('with MCP alone an Instagram carousel from two addresses and a local file is drafted, asked for, approved and published', async () => {
  const account = await service.connect('instagram');
  service.startJobs();
  const picture = (background: string) =>
    sharp({ create: { width: 1080, height: 1080, channels: 3, background } })
      .jpeg()
      .toBuffer();
  const serve = async (background: string) => {
    const bytes = await picture(background);
    return documents.answering((_req, res) => res.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes));
  };
  const addresses = [await serve('#c0392b'), await serve('#27ae60')];
  const { client } = await modern({ versionNegotiation: { mode: 'auto' } })(human());
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: input })) as {
      content: { text: string }[];
      structuredContent: Record<string, never>;
      isError: boolean;
    };

  const { accounts } = (await call('accounts_list')).structuredContent as unknown as { accounts: { id: string }[] };
  const accountIds = accounts.filter(({ id }) => id === account).map(({ id }) => id);
  const { id } = (await call('posts_create', { accountIds, body: 'Three loaves' })).structuredContent;
  const refused = await call('posts_validate', { id });
  const [upload = ''] = /http\S+\/upload\/\S+/.exec(refused.content[0]?.text ?? '') ?? [];
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(await picture('#2980b9'))]), 'local.jpg');
  const local = await (await fetch(upload, { method: 'POST', body: form })).json();

  const versions = [
    { content: [{ body: 'Three loaves', media: [...addresses, local.id], alt: ['Red', 'Green', 'Blue'] }] },
  ];
  const saved = await call('posts_update', { id, accountIds, versions });
  expect(saved.content[0]?.text).toMatch(/media media_\w+ media_\w+ media_\w+/);
  expect((await call('posts_validate', { id })).isError).toBe(false);
  const { approvalUrl } = (await call('posts_publishNow', { id })).structuredContent as unknown as {
    approvalUrl: string;
  };

  const person = service.browser();
  await person.signIn();
  const path = `/api${new URL(approvalUrl).pathname}`;
  const { body: card } = await person.get(path);
  expect(card.media.map(({ alt }: { alt: string }) => alt)).toEqual(['Red', 'Green', 'Blue']);
  expect((await person.post(`${path}/approve`)).status).toBe(200);
  await until(
    'it is published',
    async () => (await call('posts_get', { id })).structuredContent.status === ('Published' as never),
  );
  const [posted] = await service.feed('instagram');
  expect(posted).toMatchObject({ text: 'Three loaves' });
  expect(posted?.media).toHaveLength(3);
  await client.close();
});

test('an upload address is for clients that may write, and ends when their access is ended', async () => {
  const connect = modern({ versionNegotiation: { mode: 'auto' } });
  const uploadOf = async (client: Connected) => {
    const { structuredContent } = (await client.callTool({ name: 'media_list', arguments: {} })) as {
      structuredContent: { upload?: { url: string } };
    };
    return structuredContent.upload?.url;
  };
  const reader = await connect(human(['posts:read']));
  expect(await uploadOf(reader.client)).toBeUndefined();
  const writer = await connect(human(['posts:read', 'posts:write']));
  const [first = '', second = ''] = [await uploadOf(writer.client), await uploadOf(writer.client)];
  const send = async (address: string) => {
    const form = new FormData();
    const bytes = await sharp({ create: { width: 50, height: 50, channels: 3, background: '#000' } })
      .png()
      .toBuffer();
    form.set('file', new Blob([new Uint8Array(bytes)]), 'dot.png');
    return (await fetch(address, { method: 'POST', body: form })).status;
  };
  expect(await send(first)).toBe(200);
  const app = service.browser();
  await app.signIn();
  const { clients } = (await app.get('/api/app/clients')).body;
  const { id } = clients.find(({ clientId }: { clientId: string }) => clientId === writer.clientId);
  await app.delete(`/api/app/clients/${id}`);
  expect(await send(second)).toBe(404);
});

test('a client of somebody without the second factor that their workspace requires is refused, and so is its upload address', async () => {
  const { client } = await modern({ versionNegotiation: { mode: 'auto' } })(human());
  const list = async () =>
    (await client.callTool({ name: 'media_list', arguments: {} })) as {
      structuredContent: { upload: { url: string } };
    };
  const { upload } = (await list()).structuredContent;
  const send = async () => (await fetch(upload.url, { method: 'POST', body: new FormData() })).status;
  const require = async (isRequired: boolean) => {
    await service.database.run(sql('test.twoFactors', 'update workspaces set two_factors = $1'), [isRequired]);
  };
  expect(await send()).toBe(400);
  await require(true);
  onTestFinished(() => require(false));
  await expect(list()).rejects.toThrow(/two factors/);
  expect(await send()).toBe(404);
  await require(false);
  expect((await list()).structuredContent.upload.url).toMatch(/\/upload\//);
  expect(await send()).toBe(400);
  await client.close();
});

test('every path of the identity provider counts the requests of an address, and refuses too many', async () => {
  const own = await startService({ REQUESTS_PER_MINUTE: '3', TRUST_PROXY: '1' });
  onTestFinished(() => own.stop());
  own.wallClock.toNext(60_000);
  const paths = ['token', 'revoke', 'register', 'authorize', 'userinfo', 'interaction/x', 'jwks'];
  for (const [index, path] of paths.entries()) {
    const headers = { 'x-forwarded-for': `198.51.100.${index}` };
    const ask = () => own.request('POST', `/auth/${path}`, { headers, body: new URLSearchParams({ token: 'x' }) });
    for (let i = 0; i < 3; i++) expect((await ask()).status).not.toBe(429);
    const refused = await ask();
    expect({ path, status: refused.status, body: refused.body }).toMatchObject({
      status: 429,
      body: { code: 'TooManyRequests' },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  }
});

/** Clients without a document of their own introduce themselves (RFC 7591). */
describe('registration', () => {
  const register = (metadata: unknown, headers: Record<string, string> = {}, to = service) =>
    to.request('POST', '/auth/register', {
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    });
  const desk = { client_name: 'Desk', redirect_uris: ['http://127.0.0.1/done'] };
  const idOf = ({ kept }: Pick<ReturnType<typeof memory>, 'kept'>) =>
    (kept.client as unknown as { client_id: string }).client_id;
  const requestOf = (id: string, redirect = 'http://127.0.0.1/done') => {
    const query = new URLSearchParams({
      client_id: id,
      redirect_uri: redirect,
      response_type: 'code',
      scope: 'openid posts:read',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    return `/auth/authorize?${query}`;
  };
  const isKnown = async (id: string) => (await createBrowser(service.url).go(requestOf(id))).status < 400;
  const purge = () => service.posthorn.registrations.purge();
  let movedMs = 0;
  const forward = (ms: number) => {
    movedMs += ms;
    service.wallClock.forward(ms);
  };
  // The provider's own tokens only know the real time, so move the test clock back.
  afterEach(() => forward(-movedMs));
  const dayMs = 86_400_000;

  test.each([
    ['@modelcontextprotocol/sdk 1.x', old],
    ['@modelcontextprotocol/client 2.x', modern({ versionNegotiation: { mode: 'auto' } })],
  ])('%s gets in with nothing but the address, and is shown as unverified', async (_name, connect) => {
    const remembered = memory({ hasDocument: false });
    const { client, consent } = await connect(human(), remembered);
    expect(consent.client).toEqual({ name: 'Desk Agent' });
    expect(remembered.kept.client).toMatchObject({
      client_id: expect.stringMatching(/^reg_/),
      token_endpoint_auth_method: 'none',
      redirect_uris: [redirectUrl],
    });
    expect(remembered.kept.client).not.toHaveProperty('client_secret');
    expect(remembered.kept.tokens).not.toHaveProperty('refresh_token');
    expect((await client.listTools()).tools.length).toBeGreaterThan(10);
    await client.close();
    const browser = service.browser();
    await browser.signIn();
    const { clients } = (await browser.get('/api/app/clients')).body;
    const listed = clients.find(({ clientId }: { clientId: string }) => clientId === idOf(remembered));
    expect(listed).toMatchObject({ name: 'Desk Agent' });
    expect(listed).not.toHaveProperty('host');
  });

  const signedInWindow = async () => {
    const browser = createBrowser(service.url);
    const session = service.browser();
    await session.signIn();
    browser.set(...(session.cookie().split('=') as [string, string]));
    return browser;
  };

  test('an error leads back to a client that the person let in, until they end its access', async () => {
    const redirect = 'https://desk.example.com/done';
    const { client_id: id } = (await register({ redirect_uris: [redirect] })).body;
    const browser = await signedInWindow();
    const wrong = requestOf(id, redirect).replace('openid', 'nonsense');
    expect((await browser.go(wrong)).status).toBe(400);
    await approve(browser, await browser.go(requestOf(id, redirect)));
    expect((await browser.go(wrong)).url).toContain(`${redirect}?error=invalid_scope`);
    const app = service.browser();
    await app.signIn();
    const { clients } = (await app.get('/api/app/clients')).body;
    await app.delete(`/api/app/clients/${clients.find((one: { clientId: string }) => one.clientId === id).id}`);
    expect((await browser.go(wrong)).status).toBe(400);
  });

  test.each([
    ['Desk” verified “', 'Desk verified'],
    ['"Desk" «Posthorn» ‹x› ＂y＂ „z‟ 「w」', 'Desk Posthorn x y z w'],
    ["Ann's Desk", "Ann's Desk"],
    ['“”', 'An app without a name'],
  ])('of %s is shown as %s: a name cannot end the quotation that it stands in', async (client_name, shown) => {
    const { client_id: id } = (await register({ ...desk, client_name })).body;
    const browser = await signedInWindow();
    const { body } = await questionOf(browser, await browser.go(requestOf(id)));
    expect(body.client.name).toBe(shown);
  });

  test('is asked about each time, as nobody has chosen the client', async () => {
    const redirect = 'https://desk.example.com/done';
    const { client_id: id } = (await register({ redirect_uris: [redirect] })).body;
    const browser = createBrowser(service.url);
    const session = service.browser();
    await session.signIn();
    browser.set(...(session.cookie().split('=') as [string, string]));
    const first = await browser.go(requestOf(id, redirect));
    expect((await approve(browser, first)).url).toContain(`${redirect}?code=`);
    expect(new URL((await browser.go(requestOf(id, redirect))).url).pathname).toMatch(/^\/consent\//);
  });

  test('answers what applies: a public client with codes alone, whatever it asked to be', async () => {
    const { status, body } = await register({
      ...desk,
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      scope: 'everything',
      software_statement: 'ignored',
    });
    expect({ status, body }).toEqual({
      status: 201,
      body: {
        client_id: expect.stringMatching(/^reg_/),
        client_id_issued_at: expect.any(Number),
        ...desk,
        application_type: 'native',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      },
    });
  });

  test.each([
    [
      'a public address without TLS',
      { ...desk, redirect_uris: ['http://desk.example.com/done'] },
      'invalid_redirect_uri',
    ],
    ['a scheme of its own', { ...desk, redirect_uris: ['desk://done'] }, 'invalid_redirect_uri'],
    ['a script', { ...desk, redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    [
      'a host that only begins like this machine',
      { redirect_uris: ['http://localhost.example/'] },
      'invalid_redirect_uri',
    ],
    ['one good and one bad address', { redirect_uris: ['https://a.example/', 'x:'] }, 'invalid_redirect_uri'],
    ['a user name', { redirect_uris: ['https://posthorn@evil.example/'] }, 'invalid_redirect_uri'],
    ['a fragment', { redirect_uris: ['https://a.example/#b'] }, 'invalid_redirect_uri'],
    ['an address with one slash', { redirect_uris: ['https:/evil.example'] }, 'invalid_redirect_uri'],
    ['an address without a slash', { redirect_uris: ['https:evil.example'] }, 'invalid_redirect_uri'],
    ['a line break', { redirect_uris: ['https://a.example/\n'] }, 'invalid_redirect_uri'],
    ['no address', { client_name: 'Desk' }, 'invalid_redirect_uri'],
    ['an empty list', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['text for a list', { redirect_uris: 'https://a.example/' }, 'invalid_redirect_uri'],
    ['a name that is a number', { ...desk, client_name: 7 }, 'invalid_client_metadata'],
    ['a NUL in the name', { ...desk, client_name: 'a\0b' }, 'invalid_client_metadata'],
    [
      'half a surrogate pair',
      '{"redirect_uris":["https://a.example/"],"client_name":"\\ud800"}',
      'invalid_client_metadata',
    ],
    ['an endless name', { ...desk, client_name: 'a'.repeat(201) }, 'invalid_client_metadata'],
    ['another grant', { ...desk, grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['another answer', { ...desk, response_types: ['token'] }, 'invalid_client_metadata'],
    ['a list', [desk], 'invalid_client_metadata'],
    ['nothing', '', 'invalid_redirect_uri'],
    ['no JSON', '{"redirect_uris":', 'invalid_client_metadata'],
    ['more than 16 kB', { ...desk, more: 'a'.repeat(20_000) }, 'invalid_client_metadata'],
  ])('refuses %s in the shape of the RFC', async (_what, metadata, error) => {
    const { status, body } = await register(metadata);
    expect({ status, body }).toEqual({ status: 400, body: { error, error_description: expect.any(String) } });
  });

  test('one that nobody let in is gone after a day', async () => {
    const { client_id: id } = (await register(desk)).body;
    forward(dayMs - 60_000);
    await purge();
    expect(await isKnown(id)).toBe(true);
    forward(120_000);
    await purge();
    expect(await isKnown(id)).toBe(false);
  });

  test('one that was let in is gone 90 days after its last use, and with it its line in the list', async () => {
    const remembered = memory({ hasDocument: false });
    const { client } = await old(human(), remembered);
    await client.close();
    const id = idOf(remembered);
    const isListed = async () => {
      const browser = service.browser();
      await browser.signIn();
      const { clients } = (await browser.get('/api/app/clients')).body;
      return clients.some(({ clientId }: { clientId: string }) => clientId === id);
    };
    forward(60 * dayMs);
    service.posthorn.clients.used(service.owner.userId, id, ['posts:read']);
    await service.posthorn.clients.saveLastUsed();
    forward(89 * dayMs);
    await purge();
    expect([await isKnown(id), await isListed()]).toEqual([true, true]);
    forward(dayMs);
    await purge();
    expect([await isKnown(id), await isListed()]).toEqual([false, false]);
  });

  test('is counted by network', async () => {
    const own = await startService({ REGISTRATIONS_PER_HOUR: '3', TRUST_PROXY: '1' });
    own.wallClock.toNext(3_600_000);
    const from = (address: string) => register(desk, { 'x-forwarded-for': address }, own);
    for (const last of [1, 2, 3]) expect((await from(`2001:db8::${last}`)).status).toBe(201);
    const { status, headers, body } = await from('2001:db8::4');
    expect({ status, body }).toEqual({
      status: 429,
      body: { error: 'temporarily_unavailable', error_description: expect.any(String) },
    });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('2001:db8:1::1')).status).toBe(201);
    own.wallClock.forward(3_600_000);
    expect((await from('2001:db8::4')).status).toBe(201);
    await own.stop();
  });

  test('of more than a thousand that nobody let in, only those older than an hour make room', async () => {
    const own = await startService();
    const fill = (minutesAgo: number, count: number) =>
      own.database.run(
        sql(
          `test.fill${minutesAgo}`,
          `insert into registered_clients (id, name, redirect_uris, created_at)
           select 'reg_' || $1::int || '_' || n, 'Flood', '{https://a.example/}', now() - $1::int * interval '1 minute'
             from generate_series(1, $2::int) n`,
        ),
        [minutesAgo, count],
      );
    await fill(5, 999);
    await fill(120, 1);
    expect((await register(desk, {}, own)).status).toBe(201);
    expect(await own.count('registered_clients')).toBe(1000);
    const { status, body } = await register(desk, {}, own);
    expect({ status, body }).toEqual({
      status: 429,
      body: {
        error: 'temporarily_unavailable',
        error_description: expect.stringContaining('wait for a first consent'),
      },
    });
    await own.database.run(
      sql('test.consent', "update registered_clients set last_used_at = now() where id = 'reg_5_1'"),
    );
    expect((await register(desk, {}, own)).status).toBe(201);
    await own.stop();
  });
});

test('what the user unticked stays closed: fewer tools, and a challenge that names the scope', async () => {
  const { client, kept } = await modern({})(human(['posts:read']));
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('posts_create');
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'posts_create', arguments: {} } };
  const { access_token: token } = kept.tokens as unknown as { access_token: string };
  const answer = await service.request('POST', '/mcp', {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(call),
  });
  expect(answer.status).toBe(403);
  expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope"');
  expect(answer.headers.get('www-authenticate')).toContain('scope="openid offline_access posts:write"');
  await client.close();
});

describe('an access token of the identity provider', () => {
  const tokenOf = async () => {
    const { client, kept } = await modern({})(human());
    await client.close();
    return (kept.tokens as unknown as { access_token: string }).access_token;
  };
  const list = (token: string) =>
    service.request('POST', '/mcp', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });

  test('is not accepted on the HTTP API, nor can it approve', async () => {
    const authorization = `Bearer ${await tokenOf()}`;
    expect((await service.call('posts.list', {}, { authorization })).status).toBe(401);
    const answer = await service.request('POST', '/api/approvals/card_1/approve', { headers: { authorization } });
    expect(answer.status).toBe(401);
    const form = new FormData();
    form.set('file', new Blob(['x']), 'a.jpg');
    for (const body of [form, '{"url":"https://example.com/"}']) {
      expect((await service.request('POST', '/api/media', { headers: { authorization }, body })).status).toBe(401);
    }
  });

  test('acts in the workspace the user opened last', async () => {
    const token = await tokenOf();
    const browser = service.browser();
    await browser.signIn();
    await browser.post('/api/app/workspaces', { name: 'Elsewhere' });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'accounts_list', arguments: {} } };
    const { body } = await service.request('POST', '/mcp', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(call),
    });
    expect(body.result.structuredContent).toEqual({ accounts: [] });
    await browser.post(`/api/app/workspaces/${service.owner.workspaceId}/open`);
  });

  test('is refused after the user changed the password', async () => {
    const token = await tokenOf();
    expect((await list(token)).status).toBe(200);
    const browser = service.browser();
    await browser.signIn();
    const change = { current: 'correct horse', next: 'correct horse' };
    expect((await browser.post('/api/auth/password', change)).status).toBe(200);
    const refused = await list(token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });

  test('is refused after the password was changed on another instance, by one that remembers the token', async () => {
    const token = await tokenOf();
    expect((await list(token)).status).toBe(200);
    const elsewhere = openDatabase(service.parts, { report: () => undefined });
    const { people } = openPosthorn({ ...service, database: elsewhere });
    await people.changePassword(service.owner.userId, 'correct horse', 'correct horse');
    expect((await list(token)).status).toBe(401);
    await elsewhere.close();
  });
});

describe('connected clients', () => {
  const connect = async () => {
    const { client, kept, clientId } = await modern({})(human());
    await client.close();
    const token = (kept.tokens as unknown as { access_token: string }).access_token;
    const browser = service.browser();
    await browser.signIn();
    const clients = async () => (await browser.get('/api/app/clients')).body.clients as Record<string, unknown>[];
    const found = (await clients()).find((one) => one.clientId === clientId);
    return { token, clientId, browser, clients, found };
  };
  const ask = (token: string, message: object = { method: 'tools/list' }) =>
    service.request('POST', '/mcp', {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });

  test('are listed with what they may do, since when and when they last did', async () => {
    const { found, clientId, token, clients } = await connect();
    expect(found).toEqual({
      id: expect.stringMatching(/^cli_/),
      name: 'Desk Agent',
      clientId,
      host: documents.host,
      scopes: expect.arrayContaining(['posts:read', 'posts:write']),
      since: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    await ask(token);
    await service.posthorn.clients.saveLastUsed();
    const used = (await clients()).find((one) => one.clientId === clientId);
    expect(used).toEqual({ ...found, lastUsedAt: expect.stringMatching(/^\d{4}-.*Z$/) });
  });

  test('lose their access at once when it is ended, with the tokens they have', async () => {
    const { found, clientId, token, browser, clients } = await connect();
    const other = await connect();
    expect((await ask(token)).status).toBe(200);
    expect((await browser.delete(`/api/app/clients/${found?.id}`)).body).toEqual({ done: true });
    const refused = await ask(token);
    expect(refused.status).toBe(401);
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"');
    // A pending "last used" entry must not bring the client back.
    await service.posthorn.clients.saveLastUsed();
    expect((await clients()).map((one) => one.clientId)).not.toContain(clientId);
    expect((await ask(token)).status).toBe(401);
    expect((await ask(other.token)).status).toBe(200);
    expect((await browser.delete(`/api/app/clients/${found?.id}`)).status).toBe(404);
    const { entries } = (await browser.get('/api/app/audit')).body;
    expect(entries).toContainEqual(
      expect.objectContaining({ event: 'client.ended', details: { clientId, name: 'Desk Agent' } }),
    );
  });

  test('lose a code that they have not redeemed when their access is ended', async () => {
    const { kept, provider, clientId } = memory();
    const transport = new ModernTransport(endpoint(), { authProvider: provider });
    await expect(new ModernClient(info).connect(transport)).rejects.toThrow();
    const { back } = await human()(kept.asked);
    const { browser, clients } = await connect();
    const { id } = (await clients()).find((one) => one.clientId === clientId) ?? {};
    expect((await browser.delete(`/api/app/clients/${id}`)).status).toBe(200);
    await expect(transport.finishAuth(new URL(back.url).searchParams)).rejects.toThrow('grant');
    expect(kept.tokens).toBeUndefined();
  });

  test('use up their own requests, with those to their upload addresses, and none of their user', async () => {
    const { token, browser } = await connect();
    service.wallClock.toNext(60_000);
    const leftIn = ({ headers }: { headers: Headers }) => Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
    const left = leftIn(await ask(token));
    const list = await ask(token, { method: 'tools/call', params: { name: 'media_list', arguments: {} } });
    expect(leftIn(list)).toBe(left - 1);
    const { url } = list.body.result.structuredContent.upload;
    expect(leftIn(await fetch(url, { method: 'POST', body: new FormData() }))).toBe(left - 2);
    expect(leftIn(await browser.get('/api/app/clients'))).toBe(left);
  });

  test('of somebody else are neither seen nor ended', async () => {
    const { found, token } = await connect();
    const { email } = await service.addMember('owner');
    const stranger = service.browser();
    await stranger.signIn(email);
    expect((await stranger.get('/api/app/clients')).body).toEqual({ clients: [] });
    expect((await stranger.delete(`/api/app/clients/${found?.id}`)).status).toBe(404);
    expect((await ask(token)).status).toBe(200);
  });

  test('get access again when the user gives it again, for new tokens alone', async () => {
    const remembered = memory();
    const user = human();
    const authorize = async () => {
      const { client, kept } = await modern({})(user, remembered);
      await client.close();
      return (kept.tokens as unknown as { access_token: string }).access_token;
    };
    const first = await authorize();
    const browser = service.browser();
    await browser.signIn();
    const idOf = async () =>
      (await browser.get('/api/app/clients')).body.clients.find(
        ({ clientId }: { clientId: string }) => clientId === remembered.clientId,
      )?.id;
    await browser.delete(`/api/app/clients/${await idOf()}`);
    expect(await idOf()).toBeUndefined();
    const second = await authorize();
    expect((await ask(first)).status).toBe(401);
    expect((await ask(second)).status).toBe(200);
    expect(await idOf()).toBeDefined();
  });

  test('can give a token back themselves (RFC 7009)', async () => {
    const { token, clientId, clients } = await connect();
    const revoke = (form: Record<string, string>) =>
      service.request('POST', '/auth/revoke', { body: new URLSearchParams(form) });
    expect((await revoke({ token, client_id: 'https://other.example/client.json' })).status).toBe(200);
    expect((await ask(token)).status).toBe(200);
    expect((await revoke({ token: 'made up', client_id: clientId })).status).toBe(200);
    expect((await revoke({ client_id: clientId })).status).toBe(400);
    expect((await revoke({ token: 'a'.repeat(20_000), client_id: clientId })).status).toBe(400);
    expect((await revoke({ token, client_id: clientId, token_type_hint: 'access_token' })).status).toBe(200);
    expect((await ask(token)).status).toBe(401);
    expect((await clients()).map((one) => one.clientId)).not.toContain(clientId);
  });
});

test('the consent page names the workspace that was opened last, in whatever browser', async () => {
  const user = human();
  const { consent } = await modern({})(user);
  expect(consent.workspace).toBe('Demo');
  const elsewhere = service.browser();
  await elsewhere.signIn();
  await elsewhere.post('/api/app/workspaces', { name: 'Opened elsewhere' });
  const again = await modern({})(user);
  expect(again.consent.workspace).toBe('Opened elsewhere');
  await elsewhere.post(`/api/app/workspaces/${service.owner.workspaceId}/open`);
});

test('a consent is taken from our own page alone', async () => {
  const { kept, provider } = memory();
  await new ModernClient(info)
    .connect(new ModernTransport(endpoint(), { authProvider: provider }))
    .catch(() => undefined);
  const browser = createBrowser(service.url);
  const session = service.browser();
  await session.signIn();
  browser.set(...(session.cookie().split('=') as [string, string]));
  const page = await browser.go(kept.asked);
  const sources: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    {},
    { origin: service.url, 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  for (const source of sources) {
    const answer = await decide(browser, page, { scopes: ['posts:read'] }, source);
    expect({ source, status: answer.status }).toEqual({ source, status: 403 });
    expect(answer.text).toContain('comes from another site');
  }
  expect((await approve(browser, page)).url).toContain('code=');
});

test('wrong tokens on /mcp do not use up the requests of those who sign in', async () => {
  const own = await startService({ REQUESTS_PER_MINUTE: '5' });
  own.wallClock.toNext(60_000);
  const wrong = () => own.request('POST', '/mcp', { headers: { authorization: 'Bearer wrong' }, body: '{}' });
  for (let i = 0; i < 7; i++) await wrong();
  expect((await wrong()).status).toBe(429);
  expect((await own.request('GET', '/auth/authorize')).status).not.toBe(429);
  await own.stop();
});

test('consent is in the audit log', async () => {
  await modern({})(human()).then(({ client }) => client.close());
  const browser = service.browser();
  await browser.signIn();
  const { entries } = (await browser.get('/api/app/audit')).body;
  expect(entries).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        event: 'consent.given',
        details: expect.objectContaining({ clientId: expect.any(String) }),
      }),
    ]),
  );
});

test('after signing out the identity provider asks for a sign-in again', async () => {
  const browser = createBrowser(service.url);
  const session = service.browser();
  await session.signIn();
  browser.set(...(session.cookie().split('=') as [string, string]));
  const { kept, provider } = memory();
  await new ModernClient(info)
    .connect(new ModernTransport(endpoint(), { authProvider: provider }))
    .catch(() => undefined);
  expect(new URL((await browser.go(kept.asked)).url).pathname).toMatch(/^\/consent\//);
  await session.post('/api/auth/sign-out');
  expect(new URL((await browser.go(kept.asked)).url).pathname).toBe('/sign-in');
});
