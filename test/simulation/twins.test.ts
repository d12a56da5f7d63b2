import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTwins, type TwinsProcess } from '#test/support/twins';

const folder = 'server/networks';
const keys = readdirSync(folder).filter((key) => existsSync(`${folder}/${key}/examples.json`));

type Json = Record<string, unknown>;

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const json = (token: string, body: unknown) => ({
  method: 'POST',
  headers: { ...bearer(token), 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const ask = async (url: string, init: RequestInit = {}) => {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Json };
};
const picture = (type: 'png' | 'jpeg') =>
  sharp({ create: { width: 400, height: 400, channels: 3, background: '#8a4b08' } })
    .toFormat(type)
    .toBuffer();
const fileOf = async (type: 'png' | 'jpeg') =>
  new Blob([new Uint8Array(await picture(type))], { type: `image/${type}` });

/** What a person does on the page of consent. */
const consent = async (url: string, handle: string) => {
  const page = await (await fetch(url)).text();
  const scopes = Array.from(page.matchAll(/name="(scope [^"]+)"/g), ([, name = '']) => [name, 'on']);
  const body = new URLSearchParams([['handle', handle], ['answer', 'allow'], ...scopes]);
  const answer = await fetch(url, { method: 'POST', body, redirect: 'manual' });
  return new URL(answer.headers.get('location') ?? '').searchParams;
};

describe('posthorn twins', () => {
  let twins: TwinsProcess;

  beforeAll(async () => {
    // No setting is read: a service would not start with these.
    twins = await startTwins(['--port', '0'], { NODE_ENV: 'production', DATABASE_URL: 'nonsense', PORT: 'nonsense' });
  });
  afterAll(() => twins?.stop());
  beforeEach(async () => {
    expect((await twins.admin('POST', '/reset')).status).toBe(200);
  });

  const tweet = (text: string, token = twins.access('x').token) =>
    ask(`${twins.access('x').baseUrl}/api/2/tweets`, json(token, { text }));
  const postsOf = async (query = '') => (await twins.admin('GET', `/posts${query}`)).body.posts as Json[];
  const requestsOf = async (query = '') => (await twins.admin('GET', `/requests${query}`)).body.requests as Json[];

  test('prints the page, the admin API, and for every network its address, a client and a token', () => {
    const { stdout, stderr } = twins.output;
    expect(stdout).toContain(`The twins of ${keys.length} networks are ready at ${twins.url}\n`);
    expect(twins.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(stdout).toMatch(/Page +http\S+\/\n/);
    expect(stdout).toMatch(/Admin API +http\S+\/admin\n/);
    for (const key of keys) {
      expect(twins.access(key)).toMatchObject({
        baseUrl: `${twins.url}/sandbox/${key}`,
        token: expect.stringMatching(/.{20}/),
      });
    }
    expect(twins.access('x')).toMatchObject({ clientId: 'sandbox', clientSecret: 'sandbox' });
    expect(stderr).toBe('');
  });

  test('tells when it is ready, and under which addresses each network is', async () => {
    expect(await (await fetch(`${twins.url}/healthz`)).text()).toBe('ok');
    const { body } = await twins.admin('GET', '');
    expect((body.networks as Json[]).map(({ network }) => network).toSorted()).toEqual(keys);
    const x = (body.networks as Json[]).find(({ network }) => network === 'x');
    expect(x).toMatchObject({
      name: 'X',
      hosts: { 'https://api.x.com': `${twins.url}/sandbox/x/api` },
      clientId: 'sandbox',
      accounts: [{ handle: 'demo', accessToken: twins.access('x').token }],
    });
  });

  describe('every network answers to its token, and to no other', () => {
    const restli = { 'linkedin-version': '202607', 'x-restli-protocol-version': '2.0.0' };
    const calls: Record<string, { path: string; headers?: Record<string, string> }> = {
      bluesky: { path: '/pds/xrpc/app.bsky.actor.getProfile?actor=demo.bsky.social' },
      facebook: { path: '/graph/v25.0/:id?fields=name' },
      google_business: { path: '/management/v1/accounts' },
      instagram: { path: '/graph/v25.0/me?fields=username' },
      linkedin: { path: '/api/v2/userinfo' },
      linkedin_page: { path: '/api/rest/organizationAcls?q=roleAssignee', headers: restli },
      mastodon: { path: '/server/api/v1/accounts/verify_credentials' },
      pinterest: { path: '/api/v5/user_account' },
      pixelfed: { path: '/server/api/v1/accounts/verify_credentials' },
      threads: { path: '/graph/v1.0/me?fields=username' },
      tiktok: { path: '/api/v2/user/info/?fields=display_name' },
      x: { path: '/api/2/users/me' },
      youtube: { path: '/api/youtube/v3/channels?part=snippet&mine=true' },
    };

    test.each(keys)('%s', async (key) => {
      const { path, headers } = calls[key] ?? { path: '' };
      const { body } = await twins.admin('GET', '');
      const network = (body.networks as { network: string; accounts: { id: string }[] }[]).find(
        (one) => one.network === key,
      );
      const { baseUrl, token } = twins.access(key);
      const url = baseUrl + path.replace(':id', network?.accounts[0]?.id ?? '');
      expect(await ask(url, { headers: { ...headers, ...bearer(token) } })).toMatchObject({ status: 200 });
      const refused = await ask(url, { headers: { ...headers, ...bearer('made.up.token') } });
      expect([400, 401]).toContain(refused.status);
    });
  });

  test('X: somebody signs in with PKCE, and a post can be read back', async () => {
    const { baseUrl, clientId, clientSecret } = twins.access('x');
    const verifier = 'v'.repeat(50);
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: 'https://app.example/back',
      scope: 'tweet.read tweet.write users.read',
      state: 'abc',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    const back = await consent(`${baseUrl}/web/i/oauth2/authorize?${query}`, 'anna');
    expect(back.get('state')).toBe('abc');
    const { body: tokens } = await ask(`${baseUrl}/api/2/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: back.get('code') ?? '',
        redirect_uri: 'https://app.example/back',
        code_verifier: verifier,
      }),
    });
    const token = String(tokens.access_token);
    const made = await tweet('Fresh bread', token);
    expect(made).toMatchObject({ status: 201, body: { data: { text: 'Fresh bread' } } });
    const { id } = made.body.data as { id: string };
    expect(await ask(`${baseUrl}/api/2/tweets?ids=${id}`, { headers: bearer(token) })).toMatchObject({
      body: { data: [{ id, text: 'Fresh bread' }] },
    });
    expect(await postsOf()).toMatchObject([{ network: 'x', id, author: '@anna', text: 'Fresh bread', media: [] }]);
    expect(await tweet('Fresh bread', token)).toMatchObject({ status: 403 });
  });

  test('Mastodon: an app registers, somebody signs in, and a post with a picture can be read back', async () => {
    const server = `${twins.access('mastodon').baseUrl}/server`;
    const { body: app } = await ask(`${server}/api/v1/apps`, {
      method: 'POST',
      body: new URLSearchParams({
        client_name: 'Tests',
        redirect_uris: 'https://app.example/back',
        scopes: 'read write',
      }),
    });
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: String(app.client_id),
      redirect_uri: 'https://app.example/back',
      scope: 'read write',
    });
    const code = (await consent(`${server}/oauth/authorize?${query}`, 'anna')).get('code') ?? '';
    const { body: tokens } = await ask(`${server}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: String(app.client_id),
        client_secret: String(app.client_secret),
        redirect_uri: 'https://app.example/back',
      }),
    });
    const token = String(tokens.access_token);
    const form = new FormData();
    form.set('file', await fileOf('png'), 'bread.png');
    form.set('description', 'A loaf');
    const upload = await ask(`${server}/api/v2/media`, { method: 'POST', headers: bearer(token), body: form });
    expect(upload.status).toBe(200);
    const made = await ask(
      `${server}/api/v1/statuses`,
      json(token, { status: 'With a loaf', media_ids: [upload.body.id] }),
    );
    expect(made.status).toBe(200);
    expect(await ask(`${server}/api/v1/statuses/${made.body.id}`, { headers: bearer(token) })).toMatchObject({
      body: { content: expect.stringContaining('With a loaf'), media_attachments: [{ description: 'A loaf' }] },
    });
    expect(await postsOf('?network=mastodon')).toMatchObject([
      { id: made.body.id, author: '@anna', media: [expect.any(String)] },
    ]);
  });

  test('Bluesky: somebody signs in with a password, and a record with a picture can be read back', async () => {
    const xrpc = `${twins.access('bluesky').baseUrl}/pds/xrpc`;
    const { body: session } = await ask(`${xrpc}/com.atproto.server.createSession`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: 'anna.bsky.social', password: 'secret' }),
    });
    const token = String(session.accessJwt);
    const bytes = new Uint8Array(await picture('png'));
    const { body: uploaded } = await ask(`${xrpc}/com.atproto.repo.uploadBlob`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'image/png' },
      body: bytes,
    });
    const record = {
      $type: 'app.bsky.feed.post',
      text: 'From the oven',
      createdAt: new Date().toISOString(),
      embed: { $type: 'app.bsky.embed.images', images: [{ image: uploaded.blob, alt: 'A loaf' }] },
    };
    const create = (repo: unknown) =>
      ask(`${xrpc}/com.atproto.repo.createRecord`, json(token, { repo, collection: 'app.bsky.feed.post', record }));
    const made = await create(session.did);
    expect(made).toMatchObject({
      status: 200,
      body: { uri: expect.stringMatching(/^at:\/\/did:plc:/), cid: expect.any(String) },
    });
    const uri = String(made.body.uri);
    const read = await ask(`${xrpc}/app.bsky.feed.getPosts?uris=${encodeURIComponent(uri)}`, {
      headers: bearer(token),
    });
    expect(read.body).toMatchObject({ posts: [{ uri, cid: made.body.cid, record: { text: 'From the oven' } }] });
    expect(await create('somebody.else.example')).toMatchObject({ status: 401 });
    expect(await postsOf('?network=bluesky')).toMatchObject([{ id: uri, author: '@anna.bsky.social' }]);
  });

  test('Facebook: a Page posts a photo with the token in the body of a form, and reads it back', async () => {
    const { body } = await twins.admin('POST', '/accounts', { network: 'facebook', handle: 'anna' });
    const [page] = body.accounts as { id: string; name: string; accessToken: string }[];
    const graph = `${twins.access('facebook').baseUrl}/graph/v25.0`;
    const token = page?.accessToken ?? '';
    const form = new FormData();
    form.set('source', await fileOf('jpeg'), 'bread.jpg');
    form.set('published', 'false');
    const photo = await ask(`${graph}/${page?.id}/photos`, { method: 'POST', headers: bearer(token), body: form });
    expect(photo.status).toBe(200);
    const withPhoto = { message: 'With a photo', attached_media: [{ media_fbid: photo.body.id }] };
    expect(await ask(`${graph}/${page?.id}/feed`, json(token, withPhoto))).toMatchObject({ status: 200 });
    const made = await ask(`${graph}/${page?.id}/feed`, {
      method: 'POST',
      body: new URLSearchParams({ message: 'Open from seven', access_token: token }),
    });
    expect(made.status).toBe(200);
    const read = await ask(`${graph}/${made.body.id}?fields=message,from&access_token=${token}`);
    expect(read.body).toMatchObject({ message: 'Open from seven', from: { id: page?.id } });
    expect(await postsOf('?network=facebook')).toMatchObject([
      { author: page?.name, text: 'Open from seven', media: [] },
      { author: page?.name, text: 'With a photo', media: [photo.body.id] },
    ]);
  });

  test('Instagram: a code is exchanged with a plain form', async () => {
    const { baseUrl } = twins.access('instagram');
    const app = { client_id: 'sandbox', redirect_uri: 'https://app.example/back' };
    const query = new URLSearchParams({ ...app, response_type: 'code', scope: 'instagram_business_basic' });
    const code = (await consent(`${baseUrl}/web/oauth/authorize?${query}`, 'anna')).get('code') ?? '';
    const form = { ...app, client_secret: 'sandbox', grant_type: 'authorization_code', code };
    const tokens = await ask(`${baseUrl}/login/oauth/access_token`, {
      method: 'POST',
      body: new URLSearchParams(form),
    });
    expect(tokens).toMatchObject({ status: 200, body: { permissions: ['instagram_business_basic'] } });
  });

  test('Instagram: a picture is fetched from this machine, and the clock brings its container to an end', async () => {
    const files = createServer(async (_req, res) =>
      res.setHeader('content-type', 'image/jpeg').end(await picture('jpeg')),
    );
    files.listen(0, '127.0.0.1');
    await once(files, 'listening');
    const image = `http://127.0.0.1:${(files.address() as AddressInfo).port}/bread.jpg`;
    const { body } = await twins.admin('POST', '/accounts', { network: 'instagram' });
    const [account] = body.accounts as { id: string; accessToken: string }[];
    const graph = `${twins.access('instagram').baseUrl}/graph/v25.0`;
    const token = account?.accessToken ?? '';
    const container = await ask(`${graph}/${account?.id}/media`, json(token, { image_url: image, caption: 'Rye' }));
    files.close();
    expect(container.status).toBe(200);
    await twins.admin('POST', '/clock', { forward: '1m' });
    const state = await ask(`${graph}/${container.body.id}?fields=status_code`, { headers: bearer(token) });
    expect(state.body.status_code).toBe('FINISHED');
    const publish = json(token, { creation_id: container.body.id });
    expect(await ask(`${graph}/${account?.id}/media_publish`, publish)).toMatchObject({ status: 200 });
    expect(await postsOf('?network=instagram')).toMatchObject([{ text: 'Rye', media: [image] }]);
  });

  test('a refused permission is missing in the tokens of a sign-in', async () => {
    const { body } = await twins.admin('POST', '/accounts', { network: 'x', handle: 'anna', without: ['tweet.write'] });
    const [account] = body.accounts as { accessToken: string; scopes: string[] }[];
    expect(account?.scopes).not.toContain('tweet.write');
    expect(await tweet('Not allowed', account?.accessToken)).toMatchObject({ status: 403 });
    expect(await postsOf()).toEqual([]);
  });

  describe('what arrived', () => {
    test('is a list of requests with network, method, path, time, answer and what was sent, newest first', async () => {
      await tweet('One');
      await ask(`${twins.access('mastodon').baseUrl}/server/api/v1/instance?x=1`);
      expect(await requestsOf()).toEqual([
        {
          number: expect.any(Number),
          network: 'mastodon',
          method: 'GET',
          path: '/server/api/v1/instance',
          query: { x: '1' },
          at: expect.stringMatching(/^\d{4}-.+Z$/),
          status: 200,
        },
        expect.objectContaining({
          network: 'x',
          method: 'POST',
          path: '/api/2/tweets',
          status: 201,
          contentType: 'application/json',
          body: { text: 'One' },
        }),
      ]);
      expect((await requestsOf('?network=x')).map(({ network }) => network)).toEqual(['x']);
    });

    test('can be asked for since an instant of the clock of the twins', async () => {
      await tweet('Early');
      const { body } = await twins.admin('POST', '/clock', { forward: '1h' });
      await tweet('Late');
      const since = `?since=${encodeURIComponent(String(body.now))}`;
      expect(await postsOf(since)).toMatchObject([{ text: 'Late' }]);
      expect(await requestsOf(since)).toMatchObject([{ body: { text: 'Late' } }]);
      expect(await postsOf('?network=mastodon')).toEqual([]);
    });

    test('has a request that gets no answer', async () => {
      const gaveUp = new AbortController();
      await twins.admin('POST', '/faults', { network: 'x', fault: 'hang' });
      const waiting = fetch(`${twins.access('x').baseUrl}/api/2/tweets`, {
        ...json(twins.access('x').token, { text: 'Anybody there?' }),
        signal: gaveUp.signal,
      });
      await expect.poll(() => requestsOf()).toMatchObject([{ path: '/api/2/tweets', status: null }]);
      gaveUp.abort();
      await expect(waiting).rejects.toThrow();
      expect(await requestsOf()).toMatchObject([{ status: null, body: { text: 'Anybody there?' } }]);
    });
  });

  describe('faults', () => {
    test('hit as many requests as were planned, in the words of the network', async () => {
      const { body } = await twins.admin('POST', '/faults', { network: 'x', fault: '429', times: 2 });
      expect(body).toEqual({ planned: [{ network: 'x', moment: 'publish', fault: '429', times: 2 }] });
      for (const text of ['First', 'Second']) {
        const { status, headers } = await tweet(text);
        expect([status, headers.get('x-rate-limit-reset')]).toEqual([429, expect.stringMatching(/^\d{10}$/)]);
      }
      expect(await tweet('Third')).toMatchObject({ status: 201 });
      expect((await twins.admin('GET', '/faults')).body).toMatchObject({
        planned: [],
        possible: { lost: expect.any(String) },
      });
    });

    test('go on until they are taken back', async () => {
      await twins.admin('POST', '/faults', { network: 'x', fault: '503', times: null });
      await twins.admin('POST', '/faults', { network: 'mastodon', moment: 'read', fault: '503' });
      expect(await tweet('One')).toMatchObject({ status: 503 });
      expect(await tweet('Two')).toMatchObject({ status: 503 });
      const { body } = await twins.admin('DELETE', '/faults?network=x');
      expect(body).toEqual({ planned: [{ network: 'mastodon', moment: 'read', fault: '503', times: 1 }] });
      expect(await tweet('Three')).toMatchObject({ status: 201 });
      expect((await twins.admin('DELETE', '/faults')).body).toEqual({ planned: [] });
    });

    test('can stand in a text', async () => {
      expect(await tweet('Bread [sandbox:503]')).toMatchObject({ status: 503 });
      expect(await tweet('Bread [sandbox:503]')).toMatchObject({ status: 201 });
    });
  });

  test('the clock goes forward, and a token ends by it', async () => {
    const { body: before } = await twins.admin('GET', '/clock');
    expect(before).toEqual({ now: expect.any(String), aheadMs: 0 });
    const { body: after } = await twins.admin('POST', '/clock', { forward: '3h' });
    expect(after.aheadMs).toBe(3 * 3_600_000);
    expect(Date.parse(String(after.now)) - Date.parse(String(before.now))).toBeGreaterThanOrEqual(3 * 3_600_000);
    expect(await tweet('Too late')).toMatchObject({ status: 401 });
    expect((await twins.admin('GET', '/clock')).body).toMatchObject({ aheadMs: 3 * 3_600_000 });
  });

  test('a reset leaves what was there after the start: the printed tokens, and nothing else', async () => {
    const { body } = await twins.admin('POST', '/accounts', { network: 'x', handle: 'anna' });
    const [{ accessToken } = { accessToken: '' }] = body.accounts as { accessToken: string }[];
    await tweet('One', accessToken);
    await twins.admin('POST', '/faults', { network: 'x', fault: 'refused-token' });
    expect(await tweet('Two')).toMatchObject({ status: 401 });
    expect(await tweet('Two')).toMatchObject({ status: 401 });
    await twins.admin('POST', '/faults', { network: 'x', fault: '503', times: null });
    await twins.admin('POST', '/clock', { forward: '30d' });
    expect((await twins.admin('POST', '/reset')).body).toMatchObject({ aheadMs: 0 });
    expect(await postsOf()).toEqual([]);
    expect(await requestsOf()).toEqual([]);
    expect((await twins.admin('GET', '/faults')).body).toMatchObject({ planned: [] });
    expect(await tweet('One', accessToken)).toMatchObject({ status: 401 });
    expect(await tweet('One')).toMatchObject({ status: 201 });
  });

  describe('the page', () => {
    const page = async (path = '/') => {
      const answer = await fetch(twins.url + path, { headers: { accept: 'text/html' } });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };

    test('shows what was posted on all networks or on one, with foreign text as text', async () => {
      await tweet('<script>alert(1)</script> & "quotes"');
      const { text } = await page();
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;');
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('@demo on X');
      expect(text).toContain('POST /api/2/tweets');
      expect((await page('/?network=x')).text).toContain('@demo on X');
      const other = await page('/?network=mastodon');
      expect(other.text).toContain('<h1>Mastodon: what was posted</h1>');
      expect(other.text).not.toContain('@demo on X');
    });

    test('loads a script and a stylesheet of its own, and its policy allows no other', async () => {
      const { text, headers } = await page();
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
      expect(policy).not.toContain('unsafe');
      expect(text).not.toMatch(/<script(?! src="\/)|<style|\son\w+="|\sstyle="|http-equiv/);
      const files = Array.from(
        text.matchAll(/(?:src|href)="(\/(?:[\w-]+\.(?:js|svg)|assets\/[^"]+))"/g),
        ([, path]) => path,
      );
      expect(files).toHaveLength(3);
      for (const path of files) expect((await fetch(twins.url + path)).status).toBe(200);
      expect(await (await fetch(`${twins.url}${files.find((path) => path?.includes('.css'))}`)).text()).toContain(
        '@media (prefers-color-scheme: dark)',
      );
    });

    test('is where the address of a post leads a person, and a program learns that the call is missing', async () => {
      const shown = await page('/sandbox/x/web/demo/status/1');
      expect(shown.text).toContain('<h1>X: what was posted</h1>');
      const missing = await ask(`${twins.url}/sandbox/x/api/2/nothing`);
      expect(missing).toMatchObject({
        status: 404,
        body: { code: 'NotFound', message: expect.stringMatching(/^The twin of X has no GET \/api\/2\/nothing\. /) },
      });
    });
  });

  describe('refuses', () => {
    test.each([
      ['POST', '/faults', { network: 'myspace', fault: '429' }, 'network must be one of bluesky, '],
      ['POST', '/faults', { network: 'x', fault: 'flood' }, 'fault must be one of 429, '],
      ['POST', '/faults', { network: 'x', fault: '429', times: 0 }, 'times must be at least 1'],
      ['POST', '/faults', { network: 'x', fault: '429', when: 'now' }, 'when is not a field'],
      ['POST', '/faults', undefined, 'network must be one of bluesky, '],
      ['DELETE', '/faults?moment=never', undefined, 'moment must be one of upload, publish, read'],
      ['POST', '/clock', { forward: '-1h' }, 'forward must be a number with s, m, h or d'],
      ['POST', '/clock', { forward: '367d' }, 'forward must be a number with s, m, h or d'],
      ['POST', '/clock', {}, 'forward is required'],
      ['GET', '/posts?network=myspace', undefined, 'network must be one of bluesky, '],
      ['GET', '/requests?since=yesterday', undefined, 'since must be an instant such as '],
      ['POST', '/accounts', { network: 'x', handle: 'no spaces' }, 'handle must be letters, digits, dots and dashes'],
      ['POST', '/accounts', { network: 'linkedin', handle: 'noproduct' }, 'handle was refused by the twin: '],
    ] as const)('%s /admin%s with %j', async (method, path, body, words) => {
      const answer = await twins.admin(method, path, body);
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'BadInput', message: expect.stringContaining(words) },
      });
    });

    test('a body that is no JSON, and a call that is not there', async () => {
      const broken = await ask(`${twins.url}/admin/faults`, { method: 'POST', body: '{"network":' });
      expect(broken).toMatchObject({ status: 400, body: { code: 'BadInput' } });
      expect(await twins.admin('POST', '/everything', {})).toMatchObject({
        status: 404,
        body: { code: 'NotFound', message: 'There is no POST /admin/everything. docs/twins.md lists the calls.' },
      });
    });

    test('pages of other sites', async () => {
      const reset = (origin: string) => ask(`${twins.url}/admin/reset`, { method: 'POST', headers: { origin } });
      expect(await reset('https://evil.example')).toMatchObject({ status: 403 });
      expect(await reset('null')).toMatchObject({ status: 403 });
      expect(await reset(twins.url)).toMatchObject({ status: 200 });
    });

    test('another name that leads to this machine, at which the networks answer all the same', async () => {
      const statusAt = (path: string, host: string) =>
        new Promise((resolve, reject) => {
          const { hostname, port } = new URL(twins.url);
          request({ hostname, port, path, headers: { host } }, (res) => resolve(res.resume().statusCode))
            .on('error', reject)
            .end();
        });
      expect(await statusAt('/admin', 'evil.example')).toBe(403);
      expect(await statusAt('/admin', `localhost:${new URL(twins.url).port}`)).toBe(200);
      expect(await statusAt('/sandbox/x/api/2/users/me', 'api.x.com')).toBe(401);
    });

    test('an upload that does not fit into memory', async () => {
      const { baseUrl, token } = twins.access('bluesky');
      const headers = { ...bearer(token), 'content-type': 'image/png', 'content-length': '600000000' };
      const sending = request(`${baseUrl}/pds/xrpc/com.atproto.repo.uploadBlob`, { method: 'POST', headers });
      sending.flushHeaders();
      const [answer] = await once(sending, 'response');
      expect(answer.statusCode).toBe(413);
      sending.on('error', () => undefined).destroy();
    });
  });
});

test('with --keep the newest of each network are kept and the oldest dropped, and it is told how many', async () => {
  const twins = await startTwins(['--port', '0', '--keep', '10']);
  try {
    const { baseUrl, token } = twins.access('x');
    const made: Json[] = [];
    for (let i = 1; i <= 13; i++) {
      made.push((await ask(`${baseUrl}/api/2/tweets`, json(token, { text: `Post ${i}` }))).body.data as Json);
    }
    const other = twins.access('mastodon');
    await ask(`${other.baseUrl}/server/api/v1/statuses`, json(other.token, { status: 'Still here' }));
    const { posts } = (await twins.admin('GET', '/posts')).body;
    expect((posts as Json[]).map(({ text }) => text)).toEqual([
      'Still here',
      ...Array.from({ length: 10 }, (_, index) => `Post ${13 - index}`),
    ]);
    const isThere = async (post: Json | undefined) =>
      'data' in (await ask(`${baseUrl}/api/2/tweets?ids=${post?.id}`, { headers: bearer(token) })).body;
    expect([await isThere(made[2]), await isThere(made[3])]).toEqual([false, true]);
    const { requests, dropped } = (await twins.admin('GET', '/requests')).body;
    expect([(requests as Json[]).length, dropped]).toEqual([10, 6]);
    expect(twins.output.stdout).toMatch(/in memory: 10 requests, and 10 posts of each network/);
  } finally {
    await twins.stop();
  }
});

test('records of one kind take at most four million characters, however few they are', async () => {
  const twins = await startTwins();
  try {
    const server = `${twins.access('mastodon').baseUrl}/server`;
    const post = (path: string, body: unknown) =>
      ask(server + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const register = async () => {
      const redirect_uris = `https://app.example/${'x'.repeat(2_500_000)}`;
      return (await post('/api/v1/apps', { client_name: 'Large', redirect_uris })).body;
    };
    const [first, second] = [await register(), await register()];
    const statusFor = async ({ client_id, client_secret }: Json) =>
      (await post('/oauth/token', { client_id, client_secret, grant_type: 'none' })).status;
    // An app that is gone is refused before its grant is looked at.
    expect([await statusFor(first), await statusFor(second)]).toEqual([401, 400]);
  } finally {
    await twins.stop();
  }
});

describe('the command line', () => {
  test.each([
    [['--port', 'many'], '--port must be a whole number from 0 to 65535, not "many".'],
    [['--port', '70000'], '--port must be a whole number from 0 to 65535, not "70000".'],
    [['--keep', '3'], '--keep must be a whole number from 10 to 100000, not "3".'],
    [['--host', ''], '--host must be an address of this machine.'],
    [['--port', '0', '--host', '192.0.2.1'], '--host 192.0.2.1 is no address of this machine.'],
    [['--colour'], "Unknown option '--colour'"],
    [['now'], "Unexpected argument 'now'"],
  ])('%j is refused with a sentence, how to use it, and the code 2', async (args, words) => {
    const { code, stdout, stderr } = await (await startTwins(args)).ended;
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(words);
    expect(stderr).toContain('posthorn twins [--port 4000]');
    expect(stderr).not.toMatch(/^\s+at .+:\d+/m);
  });

  test('--help says how to use it', async () => {
    expect(await (await startTwins(['--help'])).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--keep'),
    });
  });

  test('a port in use is a sentence with what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const taken = await (await startTwins(['--port', String(port)])).ended;
    other.close();
    expect(taken).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port} is in use, perhaps by other twins. Stop that program, or choose another port: npx posthorn twins --port ${port + 1}\n`,
    });
  });

  test('--host-ports gives each host a port, for clients that take no path; links lead to the port of all', async () => {
    const twins = await startTwins(['--port', '0', '--host-ports', '0']);
    try {
      const { body } = await twins.admin('GET', '');
      const networks = body.networks as { network: string; hosts: Json; hostPorts: Record<string, string> }[];
      const ports = networks.flatMap(({ hosts, hostPorts }) => {
        expect(Object.keys(hostPorts)).toEqual(Object.keys(hosts));
        return Object.values(hostPorts);
      });
      expect(new Set([twins.url, ...ports]).size).toBe(ports.length + 1);
      const server = networks.find(({ network }) => network === 'mastodon')?.hostPorts['https://mastodon.social'];
      const { token } = twins.access('mastodon');
      const status = await ask(`${server}/api/v1/statuses`, json(token, { status: 'Fresh bread' }));
      expect(status).toMatchObject({ status: 200, body: { url: expect.stringContaining(`${twins.url}/sandbox/`) } });
      expect(await ask(`${server}/api/v1/statuses/${status.body.id}`, { headers: bearer(token) })).toMatchObject({
        status: 200,
      });
      const { requests } = (await twins.admin('GET', '/requests?network=mastodon')).body;
      expect(requests).toHaveLength(2);
    } finally {
      await twins.stop();
    }
  });

  test('a port in use among --host-ports ends it with a sentence', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const taken = await (await startTwins(['--port', '0', '--host-ports', String(port)])).ended;
    other.close();
    expect(taken).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`^Port ${port} is in use, .+ --host-ports ${port + 1}\\n$`)),
    });
  });

  test('--host warns of who gets in, and media of this machine are not fetched then', async () => {
    const twins = await startTwins(['--port', '0', '--host', '0.0.0.0']);
    const files = createServer(async (_req, res) =>
      res.setHeader('content-type', 'image/jpeg').end(await picture('jpeg')),
    );
    files.listen(0, '127.0.0.1');
    await once(files, 'listening');
    try {
      expect(twins.output.stderr).toMatch(
        /^Warning: --host 0\.0\.0\.0 lets other machines in\. Whoever reaches this port can read .+ reset it all\./,
      );
      expect(twins.url).toMatch(/^http:\/\/127\.0\.0\.1:/);
      const { body } = await twins.admin('POST', '/accounts', { network: 'instagram' });
      const [account] = body.accounts as { id: string; accessToken: string }[];
      const image_url = `http://127.0.0.1:${(files.address() as AddressInfo).port}/bread.jpg`;
      const media = `${twins.access('instagram').baseUrl}/graph/v25.0/${account?.id}/media`;
      expect(await ask(media, json(account?.accessToken ?? '', { image_url }))).toMatchObject({ status: 400 });
    } finally {
      files.close();
      await twins.stop();
    }
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s ends it at once, also while a request waits', async (signal) => {
    const twins = await startTwins();
    const { baseUrl, token } = twins.access('x');
    await twins.admin('POST', '/faults', { network: 'x', fault: 'hang' });
    const waiting = fetch(`${baseUrl}/api/2/tweets`, json(token, { text: 'Hello?' })).catch(() => 'cut off');
    await expect.poll(async () => (await twins.admin('GET', '/requests')).body.requests).toHaveLength(1);
    twins.kill(signal);
    expect(await twins.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await waiting).toBe('cut off');
  });
});
