import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { mediaPaths, mediaRoutes } from '#contracts/media';
import { sql } from '#server/base/store/database';
import { linkCards } from '#server/networks/bluesky/link-card';
import { modern, speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
let colleague: ReturnType<Service['browser']>;
let colleagueToken: string;
let mastodon: string;
let other: string;
beforeAll(async () => {
  service = await startService();
  owner = service.browser();
  await owner.signIn();
  const member = await service.addMember('editor');
  colleagueToken = member.token;
  colleague = service.browser();
  await colleague.signIn(member.email);
  mastodon = await service.connect('mastodon');
  other = await service.connect('mastodon');
});
afterAll(() => service.stop());

interface Written {
  readonly id: string;
  readonly file: string;
  readonly second: string;
}

const option = 'mastodon.visibility';
const input = ({ id, file }: Written) => ({
  id,
  accountIds: [mastodon],
  scheduledAt: '2126-01-01T00:00:00Z',
  versions: [
    { content: [{ body: 'Hello', media: [file] }], options: { [option]: 'public' } },
    { accountId: mastodon, content: [{ body: 'Hello Mastodon', media: [file] }] },
  ],
});

const write = async (): Promise<Written> => {
  const [file, second] = [await service.addMedia(), await service.addMedia()];
  for (const id of [file, second]) await owner.patch(`/api/media/${id}`, { alt: 'A cat' });
  const { id } = await service.client.posts.create({ body: 'Hello' });
  const written = { id, file, second };
  await service.client.posts.update(input(written));
  return written;
};

const agent = () => speak(service.url, service.token, modern);
const ask = async (id: string) => {
  const { result } = (await agent().call('posts_publishNow', { id })).body;
  expect(result.structuredContent).toMatchObject({ status: 'pending_approval' });
  return result.structuredContent.approvalUrl.split('/').at(-1) as string;
};

/** Every edit that changes what would become public, when, or where. */
const edits: [what: string, action: string, change: (written: Written) => object][] = [
  ['the text', 'posts.setVersionText', ({ id }) => ({ id, body: 'Buy now' })],
  ['the text of one account', 'posts.setVersionText', ({ id }) => ({ id, body: 'Buy now', accountId: mastodon })],
  ['one more item', 'posts.setVersionText', ({ id }) => ({ id, body: 'Buy now', accountId: mastodon, itemIndex: 1 })],
  ['an option', 'posts.setOption', ({ id }) => ({ id, key: option, value: 'private' })],
  [
    'an option of one account',
    'posts.setOption',
    ({ id }) => ({ id, key: option, value: 'private', accountId: mastodon }),
  ],
  ['the files', 'posts.update', (written) => input({ ...written, file: written.second })],
  ['the accounts', 'posts.update', (written) => ({ ...input(written), accountIds: [mastodon, other] })],
  ['the time', 'posts.update', (written) => ({ ...input(written), scheduledAt: '2126-01-02T00:00:00Z' })],
  [
    'the version of an account, which is taken away',
    'posts.update',
    (written) => ({ ...input(written), versions: input(written).versions.slice(0, 1) }),
  ],
];

type Door = (action: string, change: object) => Promise<{ status: number; body: { code?: string } }>;
const byToken =
  (token: () => string): Door =>
  (action, change) =>
    service.call(action, change, { authorization: `Bearer ${token()}` });
const byMcp: Door = async (action, change) => {
  const { status, body } = await agent().call(action.replace('.', '_'), change);
  expect(body.result.isError).toBe(false);
  return { status, body: body.result.structuredContent };
};
const inApp =
  (browser: () => ReturnType<Service['browser']>): Door =>
  (action, change) =>
    browser().post(`/api/app/actions/${action}`, change);

const agents: [string, Door][] = [
  ['a token', byToken(() => service.token)],
  ["another user's token", byToken(() => colleagueToken)],
  ['MCP', byMcp],
];
const people: [string, Door][] = [
  ['the app', inApp(() => owner)],
  ['the app of another user', inApp(() => colleague)],
];

const mustBeOutdated = async (card: string, id: string) => {
  const before = await service.client.posts.get({ id });
  expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Outdated');
  expect(await owner.post(`/api/approvals/${card}/approve`)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
  expect(await service.client.posts.get({ id })).toEqual(before);
};

describe('what is changed after the request is not approved with it', () => {
  for (const [door, change] of [...agents, ...people]) {
    test.each(edits)(`%s, through ${door}`, async (_, action, changed) => {
      const written = await write();
      const card = await ask(written.id);
      expect((await change(action, changed(written))).status).toBe(200);
      // Nobody reads the card in between, so the approval itself must detect the change.
      expect(await owner.post(`/api/approvals/${card}/approve`)).toMatchObject({
        status: 409,
        body: { code: 'Conflict' },
      });
      await mustBeOutdated(card, written.id);
    });
  }

  test.each([
    ['its user', () => owner],
    ['another user', () => colleague],
  ])('the alternative text of a file, by %s in the app', async (_, browser) => {
    for (const alt of ['Buy now', '']) {
      const { id, file } = await write();
      const card = await ask(id);
      expect((await browser().patch(`/api/media/${file}`, { alt })).status).toBe(200);
      await mustBeOutdated(card, id);
    }
  });

  test('an account, which is disconnected', async () => {
    const gone = await service.connect('mastodon');
    const { id } = await service.client.posts.create({ body: 'Hello', accountIds: [gone, mastodon] });
    const card = await ask(id);
    await owner.post('/api/app/actions/accounts.delete', { id: gone });
    await mustBeOutdated(card, id);
  });

  test('its state: it is scheduled, published or deleted by a person', async () => {
    for (const [action, more] of [
      ['posts.schedule', { at: '2126-01-01T00:00:00Z' }],
      ['posts.publishNow', {}],
    ] as const) {
      const { id } = await write();
      const card = await ask(id);
      expect((await owner.post(`/api/app/actions/${action}`, { id, ...more })).status).toBe(200);
      await mustBeOutdated(card, id);
    }
    const { id } = await write();
    const card = await ask(id);
    await owner.post('/api/app/actions/posts.delete', { id });
    expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Outdated');
    expect((await owner.post(`/api/approvals/${card}/approve`)).status).toBe(409);
  });
});

describe('a token', () => {
  const authorization = () => ({ authorization: `Bearer ${service.token}`, 'content-type': 'application/json' });
  const patch = (file: string) =>
    service.request('PATCH', `/api/media/${file}`, { headers: authorization(), body: '{"alt":"Buy now"}' });
  const remove = (file: string) => service.request('DELETE', `/api/media/${file}`, { headers: authorization() });

  test('adds files and does nothing else to them, used or not', async () => {
    const { id, file } = await write();
    const card = await ask(id);
    for (const answer of [await patch(file), await remove(file), await patch(await service.addFile())]) {
      expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    }
    expect((await owner.get(`/api/approvals/${card}`)).body).toMatchObject({
      status: 'Open',
      media: [{ alt: 'A cat' }],
    });
    expect((await owner.post(`/api/approvals/${card}/approve`)).body.status).toBe('Approved');
  });

  test('the file that an option names is shown, and its alternative text is part of what is approved', async () => {
    const [film, picture] = [await service.addMedia(), await service.addMedia()];
    const { id } = await service.client.posts.create({ body: 'Hello' });
    const options = { 'youtube.thumbnail': picture };
    await service.client.posts.update({
      id,
      accountIds: [],
      versions: [{ content: [{ body: 'Hello', media: [film] }], options }],
    });
    const { result } = (await agent().call('posts_delete', { id })).body;
    const card = result.structuredContent.approvalUrl.split('/').at(-1);
    const shown = (await owner.get(`/api/approvals/${card}`)).body;
    expect(shown.media.map((one: { id: string }) => one.id)).toEqual([film, picture]);
    await owner.patch(`/api/media/${picture}`, { alt: 'Another cat' });
    await mustBeOutdated(card, id);
  });

  test('nor does a person take a file away from a post', async () => {
    const { id, file } = await write();
    const card = await ask(id);
    expect(await owner.delete(`/api/media/${file}`)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Open');
  });
});

describe('a Scheduled post', () => {
  const schedule = async () => {
    const written = await write();
    await service.asHuman('posts.schedule', { id: written.id, at: '2126-01-01T00:00:00Z' });
    return written;
  };

  for (const [door, change] of agents) {
    test.each(edits)(`keeps %s: ${door} asks a human`, async (_, action, changed) => {
      const written = await schedule();
      const before = await service.client.posts.get({ id: written.id });
      const { status, body } = await change(action, changed(written));
      if (change === byMcp) expect(body).toMatchObject({ status: 'pending_approval' });
      else expect({ status, code: body.code }).toEqual({ status: 403, code: 'ApprovalRequired' });
      expect(await service.client.posts.get({ id: written.id })).toEqual(before);
    });
  }

  test('keeps the alternative texts of its files from agents, and a person may change them', async () => {
    const { id, file } = await schedule();
    const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
    const answer = await service.request('PATCH', `/api/media/${file}`, { headers, body: '{"alt":"Buy now"}' });
    expect(answer).toMatchObject({ status: 403, body: { code: 'Forbidden' } });
    const { result } = (await agent().call('posts_delete', { id })).body;
    expect((await owner.patch(`/api/media/${file}`, { alt: 'A cat on a mat' })).body.alt).toBe('A cat on a mat');
    await mustBeOutdated(result.structuredContent.approvalUrl.split('/').at(-1), id);
  });
});

describe('the bytes of a file', () => {
  const bearer = () => ({ authorization: `Bearer ${service.token}` });
  const otherBytes = async () => {
    const image = sharp({ create: { width: 1, height: 1, channels: 3, background: '#000' } });
    return new Blob([new Uint8Array(await image.png().toBuffer())]);
  };
  const hashOf = async (file: string) =>
    createHash('sha256')
      .update(Buffer.from(await (await fetch(`${service.url}/media/${file}`)).arrayBuffer()))
      .digest('hex');

  test('never change once it is in the library: no path writes them, and an id is given once', async () => {
    const writing = [...Object.values(mediaRoutes), ...Object.values(mediaPaths)].flatMap((route) => {
      const methods = 'methods' in route ? route.methods : [route.method];
      return methods
        .filter((method) => !['GET', 'HEAD', 'OPTIONS'].includes(method))
        .map((method) => `${method} ${route.path}`);
    });
    // Routes for files: DELETE is refused while a post uses the file, and PATCH changes the alternative text.
    // The upload routes collect parts; the others create a new id.
    const expected = [
      'DELETE /api/media/:id',
      'DELETE /api/media/uploads/:id',
      'PATCH /api/media/:id',
      'PATCH /api/media/uploads/:id',
      'POST /api/media',
      'POST /api/media/from-url',
      'POST /api/media/uploads',
      'POST /upload/:ticket',
    ];
    expect(writing.sort()).toEqual(expected);

    const { id, second: other } = await write();
    const file = await service.addFile();
    await service.client.posts.update({ ...input({ id, file, second: other }) });
    const card = await ask(id);
    const before = await hashOf(file);
    for (const key of ['id', 'key', 'path', '../files']) {
      const body = new FormData();
      body.set('file', await otherBytes(), file);
      body.set(key, file);
      const answer = await fetch(`${service.url}/api/media`, { method: 'POST', headers: bearer(), body });
      expect(answer.status).toBe(400);
    }
    const again = new FormData();
    again.set('file', await otherBytes(), file);
    const added = await (
      await fetch(`${service.url}/api/media`, { method: 'POST', headers: bearer(), body: again })
    ).json();
    expect((added as { id: string }).id).not.toBe(file);
    for (const method of ['PUT', 'POST', 'PATCH']) {
      const answer = await fetch(`${service.url}/media/${file}`, { method, headers: bearer(), body: 'other bytes' });
      expect(answer.status).toBe(405);
    }
    expect((await owner.delete(`/api/media/${file}`)).status).toBe(409);
    expect(await hashOf(file)).toBe(before);
    expect((await owner.get(`/api/approvals/${card}`)).body.status).toBe('Open');
  });
});

describe('a link card', () => {
  const uri = 'https://example.com/horns';
  const told = { uri, title: 'The page of example.com', description: 'What the page says of itself.' };
  const changed = { title: 'Buy now', description: 'Only today' };
  let own: Service;
  let browser: ReturnType<Service['browser']>;
  beforeAll(async () => {
    own = await startService();
    own.startJobs();
    browser = own.browser();
    await browser.signIn();
  });
  afterEach(() => vi.restoreAllMocks());
  afterAll(() => own.stop());

  /** Changes the text of the page from now on. */
  const changePage = () => vi.spyOn(linkCards, 'read').mockImplementation(async (_, uri) => ({ uri, ...changed }));
  const write = async () => {
    const account = await own.connect('bluesky');
    return (await own.client.posts.create({ body: `Read ${uri}`, accountIds: [account] })).id;
  };
  const asked = async (tool: string, input: object) => {
    const { result } = (await speak(own.url, own.token, modern).call(tool, input)).body;
    return `/api/approvals/${result.structuredContent.approvalUrl.split('/').at(-1)}`;
  };
  /** What Bluesky got. */
  const sentCard = async (id: string) => {
    await until('it is published', async () => (await own.client.posts.get({ id })).status === 'Published');
    const [result] = (await own.client.posts.get({ id })).results;
    const { data } = (await own.feed('bluesky')).find((post) => post.id === result?.externalId) ?? {};
    return (data as { record: { embed: { external: object } } }).record.embed.external;
  };

  test('goes out as the human saw it when approving, whatever the page says by then', async () => {
    const id = await write();
    const card = await asked('posts_publishNow', { id });
    const page = changePage();
    expect((await browser.get(card)).body.linkCards).toEqual([{ network: 'bluesky', ...told }]);
    expect((await browser.post(`${card}/approve`)).body.status).toBe('Approved');
    expect(await sentCard(id)).toEqual(told);
    expect(page).not.toHaveBeenCalled();
  });

  test('has the picture of the page, made small, shown to the human and sent as it was shown', async () => {
    const account = await own.connect('bluesky');
    const body = 'See https://example.com/picture';
    const { id } = await own.client.posts.create({ body, accountIds: [account] });
    const card = await asked('posts_publishNow', { id });
    const [{ pictureUrl }] = (await browser.get(card)).body.linkCards;
    expect((await browser.get(`/api/app/posts/${id}/editor`)).body.linkCards).toMatchObject([{ pictureUrl }]);
    const share = new URL((await browser.post(`/api/app/posts/${id}/shares`, {})).body.url);
    const review = await own.request('POST', '/api/review', {
      headers: { origin: own.config.baseUrl, 'content-type': 'application/json' },
      body: JSON.stringify({ secret: share.pathname.split('/').at(-1) }),
    });
    expect(review.body.accounts[0].linkCards).toMatchObject([{ pictureUrl }]);
    const shown = await fetch(own.url + pictureUrl);
    const bytes = Buffer.from(await shown.arrayBuffer());
    expect(shown.headers.get('content-type')).toBe('image/jpeg');
    expect(bytes.length).toBeLessThanOrEqual(1_000_000);
    expect(pictureUrl).toBe(`/link-cards/${createHash('sha256').update(bytes).digest('hex')}`);
    const page = changePage();
    expect((await browser.post(`${card}/approve`)).body.status).toBe('Approved');
    expect(await sentCard(id)).toMatchObject({ thumb: { mimeType: 'image/jpeg', size: bytes.length } });
    expect(page).not.toHaveBeenCalled();
    expect((await fetch(`${own.url}/link-cards/${'0'.repeat(64)}`)).status).toBe(404);
  });

  test('goes out as it was when a person scheduled the post', async () => {
    const id = await write();
    const at = new Date(own.clock.now().getTime() + 3_600_000).toISOString();
    expect((await browser.post('/api/app/actions/posts.schedule', { id, at })).status).toBe(200);
    const page = changePage();
    await own.clock.forward(3_700_000);
    expect(await sentCard(id)).toEqual(told);
    expect(page).not.toHaveBeenCalled();
  });

  test('goes out as it is when a person publishes or edits, and is read once', async () => {
    const id = await write();
    const page = changePage();
    const at = new Date(own.clock.now().getTime() + 3_600_000).toISOString();
    expect((await browser.post('/api/app/actions/posts.schedule', { id, at })).status).toBe(200);
    const text = { id, body: 'Read example.org/new' };
    expect((await browser.post('/api/app/actions/posts.setVersionText', text)).status).toBe(200);
    expect((await browser.post(`/api/app/posts/${id}/unschedule`)).status).toBe(200);
    expect((await browser.post('/api/app/actions/posts.publishNow', { id })).status).toBe(200);
    expect(await sentCard(id)).toEqual({ uri: 'https://example.org/new', ...changed });
    expect(page.mock.calls.map(([, read]) => read)).toEqual([uri, 'https://example.org/new']);
  });

  test('of a link that the edit of whoever approves brings in is read before it goes out', async () => {
    const id = await write();
    const card = await asked('posts_publishNow', { id });
    changePage();
    const versions = [{ content: [{ body: 'Read https://example.org/new', media: [] }], options: {} }];
    expect((await browser.post(`${card}/approve`, { edit: { versions } })).body.status).toBe('Approved');
    expect(await sentCard(id)).toEqual({ uri: 'https://example.org/new', ...changed });
  });

  test('of a link that only the approved change brings in shows its address and nothing else', async () => {
    const id = await write();
    const at = new Date(own.clock.now().getTime() + 3_600_000).toISOString();
    await browser.post('/api/app/actions/posts.schedule', { id, at });
    const page = changePage();
    const card = await asked('posts_setVersionText', { id, body: 'Read https://example.org/new' });
    expect((await browser.post(`${card}/approve`)).body.status).toBe('Approved');
    await own.clock.forward(3_700_000);
    expect(await sentCard(id)).toEqual({ uri: 'https://example.org/new', title: 'example.org/new', description: '' });
    expect(page).not.toHaveBeenCalled();
  });
});

test('what the card shows is what the network gets', async () => {
  const own = await startService();
  own.startJobs();
  const browser = own.browser();
  await browser.signIn();
  const account = await own.connect('mastodon');
  const file = await own.addFile();
  await browser.patch(`/api/media/${file}`, { alt: 'A cat' });
  const { id } = await own.client.posts.create({ body: '' });
  const versions = [{ content: [{ body: 'Shown and sent', media: [file] }], options: { [option]: 'unlisted' } }];
  await own.client.posts.update({ id, accountIds: [account], versions });
  const { result } = (await speak(own.url, own.token, modern).call('posts_publishNow', { id })).body;
  const card = result.structuredContent.approvalUrl.split('/').at(-1);
  const shown = (await browser.get(`/api/approvals/${card}`)).body;
  await browser.post(`/api/approvals/${card}/approve`);
  await until('it is published', async () => (await own.client.posts.get({ id })).status === 'Published');
  const [sent] = await own.feed('mastodon');
  expect(sent?.text).toContain(shown.post.versions[0].content[0].body);
  const uploads = await own.database.query(
    sql('test.uploads', "select value ->> 'description' as alt from sandbox_records where kind = 'upload'"),
  );
  expect(uploads).toEqual([{ alt: shown.media[0].alt }]);
  await own.stop();
});
