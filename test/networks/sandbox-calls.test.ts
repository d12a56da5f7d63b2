import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NetworkAccount } from '#server/networks/network';
import { sayYes } from '#server/simulation/sandbox/sign-up';
import { complaintsAbout } from '#test/support/documented';
import { documented, mediaOf, networks, postOf } from '#test/support/networks';
import { createPublisher, type SandboxNetworks, startSandboxNetworks } from '#test/support/sandbox';

/** Calls that other people's clients make to a network, but Posthorn's adapters do not. */

let sandbox: SandboxNetworks;
beforeAll(async () => {
  sandbox = await startSandboxNetworks();
});
afterAll(() => sandbox.stop());

const connect = async (key: string, handle = 'anna'): Promise<NetworkAccount> => {
  const network = networks.find((one) => one.key === key)?.network;
  if (network === undefined) throw new Error(`no network ${key}`);
  return (await sandbox.connect(network, { handle })).account;
};

interface Call {
  readonly account?: NetworkAccount;
  readonly json?: unknown;
  readonly form?: FormData;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

const call = async (method: string, path: string, { account, json, form, headers, body }: Call = {}) => {
  const answer = await fetch(`${sandbox.url}/sandbox/${path}`, {
    method,
    headers: {
      ...(account && { authorization: `Bearer ${account.tokens.accessToken}` }),
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? (form ?? (body && new Uint8Array(body)) ?? null) : JSON.stringify(json),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, json: text.startsWith('{') ? JSON.parse(text) : text };
};

const mediaFile = async (mimeType: string) => {
  const { items } = await sandbox.withBytes({ items: [{ body: '', media: [mediaOf(mimeType, 0)] }], options: {} });
  const [file] = items[0]?.media ?? [];
  if (file === undefined) throw new Error('no file');
  return { url: file.url, bytes: Buffer.concat(await (await file.read()).toArray()) };
};

const complaints = (network: string) => {
  const description = documented[network];
  if (description === undefined) throw new Error(`${network} has no description`);
  return complaintsAbout(
    description,
    sandbox.recorded.filter((one) => one.network === network),
  );
};

test('Bluesky takes a record without a key, and tells the author of a post', async () => {
  const account = await connect('bluesky', 'anna.test');
  const repo = account.id;
  const features = [{ $type: 'app.bsky.richtext.facet#tag', tag: 'bread' }];
  const facet = { $type: 'app.bsky.richtext.facet', index: { byteStart: 6, byteEnd: 12 }, features };
  const createdAt = sandbox.clock.now().toISOString();
  const record = { $type: 'app.bsky.feed.post', text: 'Fresh #bread', createdAt, facets: [facet] };
  const created = await call('POST', 'bluesky/pds/xrpc/com.atproto.repo.createRecord', {
    account,
    json: { repo, collection: 'app.bsky.feed.post', record },
  });
  expect(created).toMatchObject({ status: 200, json: { validationStatus: 'valid' } });
  const uris = encodeURIComponent(created.json.uri);
  const { json } = await call('GET', `bluesky/pds/xrpc/app.bsky.feed.getPosts?uris=${uris}`, { account });
  expect(json.posts).toMatchObject([{ record, cid: created.json.cid, author: { did: repo, handle: 'anna.test' } }]);
  expect(complaints('bluesky')).toEqual([]);
});

test('X takes an image in chunks, which needs no processing', async () => {
  const account = await connect('x');
  const { bytes } = await mediaFile('image/jpeg');
  const begin = { media_type: 'image/jpeg', media_category: 'tweet_image', total_bytes: bytes.length };
  const { json: upload } = await call('POST', 'x/api/2/media/upload/initialize', { account, json: begin });
  const path = `x/api/2/media/upload/${upload.data.id}`;
  await call('POST', `${path}/append`, { account, json: { media: bytes.toString('base64'), segment_index: 0 } });
  const finished = await call('POST', `${path}/finalize`, { account });
  expect(finished).toMatchObject({ status: 200, json: { data: { id: upload.data.id } } });
  expect(finished.json.data).not.toHaveProperty('processing_info');
  const post = { media: { media_ids: [upload.data.id] } };
  expect(await call('POST', 'x/api/2/tweets', { account, json: post })).toMatchObject({ status: 201 });
  expect(complaints('x')).toEqual([]);
});

test('X takes an image as base64 in a JSON body', async () => {
  const account = await connect('x');
  const media = (await mediaFile('image/jpeg')).bytes.toString('base64');
  const json = { media, media_category: 'tweet_image' };
  expect(await call('POST', 'x/api/2/media/upload', { account, json })).toMatchObject({
    status: 200,
    json: { data: { id: expect.stringMatching(/^\d+$/) } },
  });
  expect(complaints('x')).toEqual([]);
});

test('X shows one post with the fields that were asked for, and no others', async () => {
  const account = await connect('x');
  const { json } = await call('POST', 'x/api/2/tweets', { account, json: { text: 'One post alone' } });
  const plain = await call('GET', `x/api/2/tweets/${json.data.id}`, { account });
  expect(plain.json.data).toEqual({
    id: json.data.id,
    text: 'One post alone',
    edit_history_tweet_ids: [json.data.id],
  });
  const fields = 'created_at,public_metrics';
  const full = await call('GET', `x/api/2/tweets/${json.data.id}?tweet.fields=${fields}`, { account });
  expect(full.json.data).toMatchObject({ created_at: expect.any(String), public_metrics: expect.any(Object) });
  expect((await call('GET', 'x/api/2/tweets/1', { account })).json).toMatchObject({ errors: [{ value: '1' }] });
  expect(complaints('x')).toEqual([]);
});

const consentOf = (path: string, query: Record<string, string>) => {
  const parameters = {
    response_type: 'code',
    redirect_uri: 'https://client.example/callback',
    state: 'some-state',
    ...query,
  };
  return `${sandbox.url}/sandbox/${path}?${new URLSearchParams(parameters)}`;
};

test('X takes the name of the PKCE method in lower case', async () => {
  const pkce = { code_challenge: 'a'.repeat(43), code_challenge_method: 's256' };
  const query = { client_id: 'sandbox', scope: 'tweet.read', ...pkce };
  expect((await fetch(consentOf('x/web/i/oauth2/authorize', query))).status).toBe(200);
});

test('LinkedIn takes scopes with commas between them', async () => {
  const query = { client_id: 'sandbox', scope: 'openid,profile,w_member_social' };
  const back = await sayYes(consentOf('linkedin/web/oauth/v2/authorization', query), 'anna');
  expect(back.searchParams.get('code')).not.toBeNull();
});

test('A token of an hour works for Threads as one of sixty days does', async () => {
  const address = consentOf('threads/web/oauth/authorize', { client_id: 'sandbox', scope: 'threads_basic' });
  const code = (await sayYes(address, 'anna')).searchParams.get('code') ?? '';
  const app = { client_id: 'sandbox', client_secret: 'sandbox', redirect_uri: 'https://client.example/callback' };
  const form = formOf({ ...app, code, grant_type: 'authorization_code' });
  const { json: token } = await call('POST', 'threads/graph/oauth/access_token', { form });
  const query = new URLSearchParams({ fields: 'username', access_token: token.access_token });
  expect(await call('GET', `threads/graph/v1.0/me?${query}`)).toMatchObject({
    status: 200,
    json: { username: 'anna' },
  });
});

test('X tells the whole limit with a 429', async () => {
  const account = await connect('x');
  const { status, headers } = await call('POST', 'x/api/2/tweets', { account, json: { text: '[sandbox:429] whole' } });
  expect(status).toBe(429);
  expect(headers.get('x-rate-limit-limit')).toBe('100');
  expect(headers.get('x-rate-limit-remaining')).toBe('0');
});

test.each(['mastodon', 'pixelfed'])(
  '%s tells an app its redirect address, and kind and address of each file',
  async (key) => {
    const redirect_uris = 'https://client.example/callback';
    const app = await call('POST', `${key}/server/api/v1/apps`, { json: { client_name: 'A client', redirect_uris } });
    expect(app).toMatchObject({ status: 200, json: { redirect_uri: redirect_uris } });
    const account = await connect(key);
    const form = new FormData();
    form.append(
      'file',
      new Blob([new Uint8Array((await mediaFile('image/jpeg')).bytes)], { type: 'image/jpeg' }),
      'a.jpg',
    );
    const { json: upload } = await call('POST', `${key}/server/api/v2/media`, { account, form });
    const post = { status: 'A loaf', media_ids: [upload.id] };
    const { json: status } = await call('POST', `${key}/server/api/v1/statuses`, { account, json: post });
    const url = expect.stringContaining(upload.id);
    expect(status.media_attachments).toMatchObject([{ id: upload.id, type: 'image', url, preview_url: url }]);
    expect(status).toMatchObject({ emojis: [], mentions: [], tags: [], reblog: null });
  },
);

test.each(['mastodon', 'pixelfed'])('%s leads to the next page of a list with a header', async (key) => {
  const account = await connect(key, 'paged');
  for (const status of ['One', 'Two', 'Three']) {
    const form = new FormData();
    const { bytes } = await mediaFile('image/jpeg');
    form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' }), 'a.jpg');
    const { json: upload } = await call('POST', `${key}/server/api/v2/media`, { account, form });
    await call('POST', `${key}/server/api/v1/statuses`, { account, json: { status, media_ids: [upload.id] } });
  }
  const authorization = `Bearer ${account.tokens.accessToken}`;
  const texts: string[] = [];
  let next: string | undefined = `${sandbox.url}/sandbox/${key}/server/api/v1/accounts/${account.id}/statuses?limit=2`;
  while (next !== undefined) {
    const answer: Response = await fetch(next, { headers: { authorization } });
    texts.push(...((await answer.json()) as { content: string }[]).map(({ content }) => content));
    next = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
  }
  expect(texts).toEqual(['<p>Three</p>', '<p>Two</p>', '<p>One</p>']);
});

const multipartVideo = (title: string, bytes: Buffer) => {
  const metadata = { snippet: { title }, status: { privacyStatus: 'public' } };
  const json = `--b\r\ncontent-type: application/json\r\n\r\n${JSON.stringify(metadata)}\r\n`;
  const body = [json, '--b\r\ncontent-type: video/mp4\r\n\r\n', bytes, '\r\n--b--'].map((part) => Buffer.from(part));
  return { body: Buffer.concat(body), headers: { 'content-type': 'multipart/related; boundary=b' } };
};

test('YouTube takes metadata and video in one body, and shows the parts of a video that are asked for', async () => {
  const account = await connect('youtube');
  const { bytes } = await mediaFile('video/mp4');
  const address = 'youtube/api/upload/youtube/v3/videos?uploadType=multipart&part=snippet&part=status';
  const video = await call('POST', address, { account, ...multipartVideo('Baking', bytes) });
  expect(video).toMatchObject({ status: 200, json: { snippet: { title: 'Baking' } } });
  const list = `youtube/api/youtube/v3/videos?id=${video.json.id}`;
  const { json } = await call('GET', `${list}&part=snippet&part=status`, { account });
  const status = { uploadStatus: 'uploaded', privacyStatus: 'public' };
  expect(json.items).toMatchObject([{ id: video.json.id, snippet: { title: 'Baking' }, status }]);
  expect(json.items[0]).not.toHaveProperty('statistics');
  expect((await call('GET', list, { account })).status).toBe(400);
  expect((await call('GET', `${list}&part=nonsense`, { account })).status).toBe(400);
  const [feed] = await sandbox.sandboxes.feed('youtube', 1);
  expect(feed?.media).toEqual([`video/mp4, ${bytes.length} bytes`]);
});

test('YouTube refuses a body that has no video', async () => {
  const account = await connect('youtube');
  const address = 'youtube/api/upload/youtube/v3/videos?uploadType=multipart&part=snippet,status';
  const headers = { 'content-type': 'multipart/related; boundary=b' };
  const body = Buffer.from('--b\r\ncontent-type: application/json\r\n\r\n{}\r\n--b--');
  expect(await call('POST', address, { account, headers, body })).toMatchObject({
    status: 400,
    json: { error: { errors: [{ reason: 'mediaBodyRequired' }] } },
  });
});

const formOf = (fields: Record<string, string>) => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  return form;
};

test('Threads takes the token and all parameters from a form of several parts', async () => {
  const { tokens } = await connect('threads');
  const token = { access_token: tokens.accessToken };
  const fields = { media_type: 'IMAGE', image_url: (await mediaFile('image/jpeg')).url, is_carousel_item: 'true' };
  const child = await call('POST', 'threads/graph/v1.0/me/threads', { form: formOf({ ...token, ...fields }) });
  expect(child).toMatchObject({ status: 200, json: { id: expect.any(String) } });
  const text = { media_type: 'TEXT', text: 'true' };
  const container = await call('POST', 'threads/graph/v1.0/me/threads', { form: formOf({ ...token, ...text }) });
  const publish = { ...token, creation_id: container.json.id };
  const post = await call('POST', 'threads/graph/v1.0/me/threads_publish', { form: formOf(publish) });
  const query = new URLSearchParams({ ...token, fields: 'text' });
  const { json } = await call('GET', `threads/graph/v1.0/${post.json.id}?${query}`);
  expect(json).toEqual({ id: post.json.id, text: 'true' });
});

test('Numbers of Meta have a title, a description and an id', async () => {
  const account = await connect('threads');
  const container = { media_type: 'TEXT', text: 'Counted' };
  const { json: created } = await call('POST', 'threads/graph/v1.0/me/threads', { account, json: container });
  const publish = { creation_id: created.id };
  const { json: post } = await call('POST', 'threads/graph/v1.0/me/threads_publish', { account, json: publish });
  const { json } = await call('GET', `threads/graph/v1.0/${post.id}/insights?metric=views`, { account });
  expect(json.data).toEqual([
    {
      name: 'views',
      period: 'lifetime',
      values: [{ value: expect.any(Number) }],
      title: expect.any(String),
      description: expect.any(String),
      id: `${post.id}/insights/views/lifetime`,
    },
  ]);
});

test('Meta ignores the id of the object that the address names', async () => {
  const account = await connect('facebook');
  const path = `facebook/graph/v25.0/${account.id}/feed`;
  const post = { message: 'Named twice', id: account.id };
  expect(await call('POST', path, { account, json: post })).toMatchObject({ status: 200 });
  expect(await call('POST', path, { account, json: { ...post, id: '1' } })).toMatchObject({ status: 400 });
});

test('Facebook fetches photos and videos from their addresses', async () => {
  const account = await connect('facebook');
  const [photo, video] = [await mediaFile('image/jpeg'), await mediaFile('video/mp4')];
  const page = `facebook/graph/v25.0/${account.id}`;
  const upload = await call('POST', `${page}/photos`, { account, json: { url: photo.url, published: false } });
  expect(upload).toMatchObject({ status: 200, json: { id: expect.any(String) } });
  const post = { message: 'A loaf', attached_media: [{ media_fbid: upload.json.id }] };
  expect(await call('POST', `${page}/feed`, { account, json: post })).toMatchObject({ status: 200 });
  const film = { file_url: video.url, description: 'Baking' };
  expect(await call('POST', `${page}/videos`, { account, json: film })).toMatchObject({ status: 200 });
  const missing = { file_url: 'https://nowhere.example/film.mp4' };
  expect(await call('POST', `${page}/videos`, { account, json: missing })).toMatchObject({ status: 400 });
});

test('Pinterest fetches images from their addresses, and shows one pin', async () => {
  const account = await connect('pinterest');
  const { json: boards } = await call('GET', 'pinterest/api/v5/boards', { account });
  const { url } = await mediaFile('image/jpeg');
  const create = (media_source: object) =>
    call('POST', 'pinterest/api/v5/pins', {
      account,
      json: { board_id: boards.items[0].id, title: 'Bread', media_source },
    });
  const pin = await create({ source_type: 'image_url', url });
  expect(pin).toMatchObject({ status: 201, json: { title: 'Bread' } });
  expect(await create({ source_type: 'multiple_image_urls', items: [{ url }, { url }] })).toMatchObject({
    status: 201,
  });
  const nowhere = { source_type: 'image_url', url: 'https://nowhere.example/loaf.jpg' };
  expect(await create(nowhere)).toMatchObject({ status: 400 });
  const answer = await call('GET', `pinterest/api/v5/pins/${pin.json.id}`, { account });
  expect(answer).toMatchObject({ status: 200, json: { id: pin.json.id, title: 'Bread' } });
  expect((await call('GET', 'pinterest/api/v5/pins/1', { account })).status).toBe(404);
  expect(complaints('pinterest')).toEqual([]);
});

test('LinkedIn shows one post of a Page', async () => {
  const account = await connect('linkedin_page');
  const headers = { 'LinkedIn-Version': '202607', 'X-Restli-Protocol-Version': '2.0.0' };
  const post = {
    author: `urn:li:organization:${account.id}`,
    commentary: 'Fresh bread',
    visibility: 'PUBLIC',
    distribution: { feedDistribution: 'MAIN_FEED' },
    lifecycleState: 'PUBLISHED',
  };
  const created = await call('POST', 'linkedin_page/api/rest/posts', { account, headers, json: post });
  const urn = created.headers.get('x-restli-id') ?? '';
  const path = `linkedin_page/api/rest/posts/${encodeURIComponent(urn)}`;
  expect(await call('GET', path, { account, headers })).toMatchObject({
    status: 200,
    json: { id: urn, commentary: 'Fresh bread', lifecycleState: 'PUBLISHED' },
  });
});

describe('A post is edited', () => {
  /** The calls as each reference has them: what is sent, the answer, and something that is refused. */
  const edits: Readonly<Record<string, Edit>> = {
    mastodon: {
      call: ['PUT', (id) => `mastodon/server/api/v1/statuses/${id}`],
      json: { status: 'Rye bread' },
      answer: { status: 200, json: { content: '<p>Rye bread</p>', edited_at: expect.any(String) } },
      wrong: [{ status: 'a'.repeat(501) }, 422],
    },
    pixelfed: {
      call: ['PUT', (id) => `pixelfed/server/api/v1/statuses/${id}`],
      json: { status: 'Rye <b>bread' },
      answer: { status: 200, json: { content: '<p>Rye bread</p>' } },
      wrong: [{ sensitive: true }, 422],
    },
    facebook: {
      call: ['POST', (id) => `facebook/graph/v25.0/${id}`],
      json: { message: 'Rye bread' },
      answer: { status: 200, json: { success: true } },
      wrong: [{ message: '' }, 400],
    },
    youtube: {
      call: ['PUT', () => 'youtube/api/youtube/v3/videos?part=snippet'],
      json: (id) => ({ id, snippet: { title: 'Rye bread', categoryId: '26' } }),
      answer: { status: 200, json: { snippet: { title: 'Rye bread' } } },
      wrong: [(id) => ({ id, snippet: { title: 'No category' } }), 400],
    },
    linkedin: {
      call: ['POST', (id) => `linkedin/api/rest/posts/${encodeURIComponent(id)}`],
      headers: {
        'LinkedIn-Version': '202607',
        'X-Restli-Protocol-Version': '2.0.0',
        'X-RestLi-Method': 'PARTIAL_UPDATE',
      },
      json: { patch: { $set: { commentary: 'Rye bread' } } },
      answer: { status: 204, json: '' },
      wrong: [{ patch: { $set: { visibility: 'CONNECTIONS' } } }, 422],
    },
    pinterest: {
      call: ['PATCH', (id) => `pinterest/api/v5/pins/${id}`],
      json: { description: 'Rye bread' },
      answer: { status: 200, json: { description: 'Rye bread', board_id: expect.any(String) } },
      wrong: [{ board_id: '1' }, 404],
    },
    google_business: {
      call: ['PATCH', (id) => `google_business/posts/v4/${id}?updateMask=summary`],
      json: { summary: 'Rye bread' },
      answer: { status: 200, json: { summary: 'Rye bread', topicType: 'STANDARD' } },
      wrong: [{ summary: '' }, 400],
    },
  };

  interface Edit {
    readonly call: readonly [method: string, path: (id: string) => string];
    readonly headers?: Record<string, string>;
    readonly json: object | ((id: string) => object);
    readonly answer: object;
    readonly wrong: readonly [json: object | ((id: string) => object), status: number];
  }

  test.each(Object.entries(edits))(
    'on %s by its author alone, and keeps its place and its numbers',
    async (key, edit) => {
      const entry = networks.find((one) => one.key === key);
      if (entry === undefined) throw new Error(`no network ${key}`);
      const { network, examples } = entry;
      const { account, site } = await sandbox.connect(network, { handle: 'edits' });
      const publisher = createPublisher(sandbox);
      const example = examples.publish[0] ?? { items: [] };
      const publish = async (body: string) => {
        const post = postOf(network, {
          ...example,
          items: example.items.slice(0, 1).map((item) => ({ ...item, body })),
        });
        const [sent] = await publisher.publish(network, site, account, await sandbox.withBytes(post));
        sandbox.forward(60_000);
        return sent?.externalId ?? '';
      };
      const ids = [await publish('White bread'), await publish('A roll')];
      const [id = ''] = ids;
      sandbox.forward(3_600_000);
      const feed = async () => (await sandbox.sandboxes.feed(key, 50)).filter((post) => ids.includes(post.id));
      const before = await feed();
      const [method, pathOf] = edit.call;
      const send = (json: Edit['json'], as: NetworkAccount) =>
        call(method, pathOf(id), {
          account: as,
          json: typeof json === 'function' ? json(id) : json,
          ...(edit.headers && { headers: edit.headers }),
        });
      const stranger = await connect(key, 'stranger');
      expect((await send(edit.json, stranger)).status).toBeGreaterThanOrEqual(400);
      const [wrong, status] = edit.wrong;
      expect((await send(wrong, account)).status).toBe(status);
      expect((await feed()).map(({ text }) => text)).toEqual(before.map(({ text }) => text));
      expect(await send(edit.json, account)).toMatchObject(edit.answer);
      const after = await feed();
      expect(after.map((post) => post.id)).toEqual(before.map((post) => post.id));
      expect(after.at(-1)?.text).toMatch(/^Rye bread/);
      const grown: Readonly<Record<string, number>> = after.at(-1)?.numbers ?? {};
      for (const [name, number] of Object.entries(before.at(-1)?.numbers ?? {})) {
        expect([name, grown[name]]).toEqual([name, expect.toSatisfy((now: number) => now >= number)]);
      }
      if (documented[key]) expect(complaints(key)).toEqual([]);
    },
  );
});
