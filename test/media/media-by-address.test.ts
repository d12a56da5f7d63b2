import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { MediaItem } from '#contracts/media';
import { sql } from '#server/base/store/database';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { lockAwaited } from '#test/support/locks';
import { speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';

const certificate = selfSigned({ names: ['cdn.example.com'] });
interface Served {
  status?: number;
  headers?: Record<string, string>;
  body?: Buffer;
  /** The body never ends. */
  stalls?: boolean;
}
const served = new Map<string, Served>();
const fetched: string[] = [];
const cdn = createServer(certificate, (req, res) => {
  fetched.push(req.url ?? '');
  const { status = 200, headers = {}, body = Buffer.alloc(0), stalls } = served.get(req.url ?? '') ?? { status: 404 };
  res.writeHead(status, headers);
  if (stalls) res.write(body);
  else res.end(body);
});

let service: Service;
let internet: ReturnType<typeof pretendInternet>;
let instagram: string;
let count = 0;
const settings = { MAX_IMAGE_MB: '1', MAX_VIDEO_MB: '2' };
beforeAll(async () => {
  cdn.listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  const names = { 'cdn.example.com': [['93.184.216.34']], 'inside.example.com': [['10.0.0.7']] };
  internet = pretendInternet({ names, port: (cdn.address() as AddressInfo).port });
  service = await startService(settings, { internet: { ...internet, extraCa: certificate.cert } });
  instagram = await service.addAccount('instagram');
});
afterAll(async () => {
  await service.stop();
  cdn.closeAllConnections();
  cdn.close();
});

/** A new picture that no other test has: JPEG gives colours that are next to each other the same bytes. */
const picture = () => {
  count += 1;
  const background = { r: (count % 16) * 16, g: Math.floor(count / 16) * 16, b: 90 };
  return sharp({ create: { width: 1080, height: 1080, channels: 3, background } })
    .jpeg()
    .toBuffer();
};
const at = (path: string) => `https://cdn.example.com${path}`;
const publish = async (path: string, answer: Served = {}) => {
  served.set(path, { body: await picture(), ...answer });
  return at(path);
};
const library = async () => (await service.client.media.list({ limit: 100 })).media;
const item = async (id: string) => (await service.client.media.list({ ids: [id] })).media[0];
const posts = () => service.count('posts');
const filesLeft = async () => {
  const folders = ['incoming', 'media'].map((name) => join(service.config.dataDir, name));
  return (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat().sort();
};
const withMedia = (media: string[], more: { alt?: string[] } = {}) => ({
  accountIds: [instagram],
  versions: [{ content: [{ body: 'Bread', media, ...more }] }],
});
const mediaOf = (post: { versions: { content: { media: string[] }[] }[] }) => post.versions[0]?.content[0]?.media ?? [];

describe('a media list', () => {
  test('takes ids and addresses in display order: the files are in the library, and the ids in the answer', async () => {
    const own = await service.addFile();
    const [first, second] = [
      await publish('/one.jpg'),
      await publish('/two.jpg', { headers: { 'content-type': 'text/html' } }),
    ];
    const post = await service.client.posts.create(withMedia([first, own, second], { alt: ['Rye', 'Mine', 'Oat'] }));
    const media = mediaOf(post);
    expect(media).toEqual([expect.stringMatching(/^media_/), own, expect.stringMatching(/^media_/)]);
    expect(post.versions[0]?.content[0]).toEqual({ body: 'Bread', media });
    expect(await item(media[0] ?? '')).toMatchObject({
      mimeType: 'image/jpeg',
      width: 1080,
      alt: 'Rye',
      name: 'one.jpg',
    });
    expect(await item(own)).toMatchObject({ alt: 'Mine' });
    expect(await item(media[2] ?? '')).toMatchObject({ alt: 'Oat', name: 'two.jpg' });
    expect((await fetch(`${service.url}/media/${media[0]}`)).status).toBe(200);
  });

  test('of posts.update takes them too, and an address of the library itself is its id', async () => {
    const { id, updatedAt } = await service.client.posts.create({ accountIds: [instagram], body: 'Bread' });
    const own = await service.addFile();
    const before = fetched.length;
    const post = await service.client.posts.update({
      id,
      ...withMedia([`${service.config.baseUrl}/media/${own}`, await publish('/update.jpg')]),
      baseUpdatedAt: updatedAt,
    });
    expect(mediaOf(post)).toEqual([own, expect.stringMatching(/^media_/)]);
    expect(fetched.slice(before)).toEqual(['/update.jpg']);
  });

  test('with two addresses of the same bytes, or bytes that the library has, is one item', async () => {
    const body = await picture();
    served.set('/same-1.jpg', { body });
    served.set('/same-2.jpg', { body });
    const [first, second] = mediaOf(
      await service.client.posts.create(withMedia([at('/same-1.jpg'), at('/same-2.jpg')])),
    );
    expect(second).toBe(first);
    const again = await Promise.all([1, 2].map(() => service.client.posts.create(withMedia([at('/same-2.jpg')]))));
    expect(again.map(mediaOf)).toEqual([[first], [first]]);
    const uploaded = await service.client.media.upload(new Uint8Array(await picture()));
    const bytes = await picture();
    const theirs = await service.client.media.upload(new Uint8Array(bytes));
    served.set('/uploaded.jpg', { body: bytes });
    expect(mediaOf(await service.client.posts.create(withMedia([at('/uploaded.jpg')])))).toEqual([theirs.id]);
    expect(uploaded.id).not.toBe(theirs.id);
  });

  test('of two calls at the same time with the same new bytes is one item', async () => {
    const url = await publish('/twice.jpg');
    const { database } = service;
    const both = await database.transaction(async () => {
      await database.query(sql('test.noNewMedia', 'lock table media in share mode'));
      const calls = [1, 2].map(() => service.client.posts.create(withMedia([url])));
      await lockAwaited(service, 2);
      return calls;
    });
    expect(new Set((await Promise.all(both)).flatMap(mediaOf)).size).toBe(1);
  });

  test('fetches an address that it names twice once', async () => {
    const url = await publish('/repeated.jpg');
    const before = fetched.length;
    await service.client.posts.create({
      accountIds: [instagram],
      versions: [
        { content: [{ body: 'Bread', media: [url] }] },
        { accountId: instagram, content: [{ body: 'Brot', media: [url] }] },
      ],
    });
    expect(fetched.slice(before)).toEqual(['/repeated.jpg']);
  });
});

describe('a bad address', () => {
  beforeAll(async () => {
    served.set('/inside', { status: 302, headers: { location: 'https://inside.example.com/a.jpg' } });
    served.set('/login', { status: 401, body: Buffer.from('Sign in') });
    served.set('/page.jpg', {
      headers: { 'content-type': 'image/jpeg' },
      body: Buffer.from('<!doctype html><p>Sign in'),
    });
    served.set('/half.jpg', { body: (await picture()).subarray(0, 300) });
    served.set('/large.jpg', { body: Buffer.concat([await picture(), Buffer.alloc(1024 * 1024)]) });
    served.set('/huge.jpg', { headers: { 'content-length': '10737418240' }, body: await picture(), stalls: true });
  });

  test.each([
    ['that leads inside', () => at('/inside'), 'BadUrl', 'not on the public internet'],
    ['that is private', () => 'https://10.0.0.1/a.jpg', 'BadUrl', 'not on the public internet'],
    ['of a name that is private', () => 'https://inside.example.com/a.jpg', 'BadUrl', 'not on the public internet'],
    ['without TLS', () => 'http://cdn.example.com/a.jpg', 'BadUrl', 'must begin with https://'],
    ['of a file on the server', () => 'file:///etc/passwd', 'BadUrl', ''],
    ['of data', () => 'data:image/png;base64,iVBORw0KGgo=', 'BadUrl', ''],
    ['that needs a login', () => at('/login'), 'BadUrl', 'readable without signing in'],
    ['that is not there', () => at('/nowhere.jpg'), 'BadUrl', 'answered 404'],
    ['that lies about its type', () => at('/page.jpg'), 'MediaType', 'must be a JPEG'],
    ['of half an image', () => at('/half.jpg'), 'Unreadable', 'damaged or incomplete'],
    ['of more than an image may have', () => at('/large.jpg'), 'TooBig', 'larger than the 1 MB'],
    ['of 10 GB', () => at('/huge.jpg'), 'TooBig', 'larger than'],
  ])('%s is one issue that names it, and neither a post nor a file is made', async (_what, url, code, words) => {
    const good = await publish(`/good-${count}.jpg`);
    const before = [await posts(), (await library()).length, await filesLeft()];
    const { status, body } = await service.call('posts.create', withMedia([good, url()]));
    expect({ status, code: body.code, issues: body.issues }).toEqual({
      status: 400,
      code: 'BadInput',
      issues: [
        expect.objectContaining({
          path: 'versions.0.content.0.media.1',
          code,
          message: expect.stringContaining(words),
        }),
      ],
    });
    expect([await posts(), (await library()).length, await filesLeft()]).toEqual(before);
    expect(internet.dialled.every((address) => address === '93.184.216.34')).toBe(true);
  });

  test('beside another is an issue of its own', async () => {
    const { body } = await service.call(
      'posts.create',
      withMedia([at('/login'), await publish('/fine.jpg'), at('/half.jpg')]),
    );
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'versions.0.content.0.media.0',
      'versions.0.content.0.media.2',
    ]);
  });

  test('more than 20 in one call are refused before one is fetched', async () => {
    const before = fetched.length;
    const media = Array.from({ length: 21 }, (_, i) => at(`/many-${i}.jpg`));
    expect((await service.call('posts.create', withMedia(media))).body.issues).toMatchObject([
      { path: 'versions', limit: 20, actual: 21 },
    ]);
    expect(fetched.length).toBe(before);
  });

  test('that is too slow is an issue that names an upload address, which works', async () => {
    const own = await startService(settings, {
      internet: { ...internet, extraCa: certificate.cert },
      ownAddress: true,
      addressesMs: 200,
    });
    onTestFinished(() => own.stop());
    served.set('/slow.jpg', { body: (await picture()).subarray(0, 2_000), stalls: true });
    const { status, body } = await own.call('posts.create', {
      versions: [{ content: [{ body: '', media: [at('/slow.jpg')] }] }],
    });
    expect({ status, issues: body.issues }).toMatchObject({
      status: 400,
      issues: [
        {
          path: 'versions.0.content.0.media.0',
          code: 'BadUrl',
          message: expect.stringContaining('curl -F file=@FILE'),
        },
      ],
    });
    const [address = ''] = /http\S+\/upload\/\S+/.exec(body.message) ?? [];
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(await picture())]), 'a.jpg');
    expect((await fetch(address, { method: 'POST', body: form })).status).toBe(200);
    expect(await own.count('posts')).toBe(0);
  });
});

describe('nothing is fetched', () => {
  const asks = async (call: (url: string) => Promise<{ status: number; body: { code: string } }>) => {
    const url = await publish(`/unasked-${count}.jpg`);
    const before = fetched.length;
    const { status, body } = await call(url);
    expect(fetched.length).toBe(before);
    return `${status} ${body.code}`;
  };
  const scheduled = async () => {
    const post = await service.client.posts.create(withMedia([await service.addFile()]));
    await service.asHuman('posts.schedule', { id: post.id, at: '2126-01-01T00:00:00Z' });
    return post;
  };

  test('for a role that may not write', async () => {
    const { token } = await service.addMember('viewer');
    const headers = { authorization: `Bearer ${token}` };
    expect(await asks((url) => service.call('posts.create', withMedia([url]), headers))).toBe('403 Forbidden');
  });

  test('for a stale baseUpdatedAt', async () => {
    const { id } = await service.client.posts.create(withMedia([]));
    const baseUpdatedAt = '2020-01-01T00:00:00Z';
    expect(await asks((url) => service.call('posts.update', { id, ...withMedia([url]), baseUpdatedAt }))).toBe(
      '409 Conflict',
    );
  });

  test('for a post that is scheduled or out, or does not exist', async () => {
    const { id } = await scheduled();
    const change = (to: string) => (url: string) => service.call('posts.update', { id: to, ...withMedia([url]) });
    expect(await asks(change(id))).toBe('403 ApprovalRequired');
    await service.setStatus(id, 'Published');
    expect(await asks(change(id))).toBe('409 Conflict');
    expect(await asks(change('post_nothing'))).toBe('404 NotFound');
  });

  test.each([
    ['an unknown account', { accountIds: ['acct_nothing'] }],
    ['an unknown media id beside it', { media: ['media_nothing'] }],
    ['an unknown option', { options: { 'instagram.nothing': 'x' } }],
    ['too long a text', { body: 'x'.repeat(100_001) }],
    ['more alternative texts than media', { alt: ['a', 'b', 'c'] }],
  ] as [string, { accountIds?: string[]; media?: string[]; options?: Record<string, string> }][])(
    'for %s',
    async (_what, { accountIds = [instagram], media = [], options = {}, ...more }) => {
      const versionsOf = (url: string) => [{ content: [{ body: 'Bread', ...more, media: [url, ...media] }], options }];
      expect(await asks((url) => service.call('posts.create', { accountIds, versions: versionsOf(url) }))).toBe(
        '400 BadInput',
      );
    },
  );

  test('for a request that is sent again with its Idempotency-Key', async () => {
    const url = await publish('/key.jpg');
    const input = withMedia([url]);
    const first = await service.call('posts.create', input, { 'idempotency-key': 'once' });
    const before = fetched.length;
    const again = await service.call('posts.create', input, { 'idempotency-key': 'once' });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await service.call('posts.create', withMedia([at('/other.jpg')]), { 'idempotency-key': 'once' });
    expect([other.status, fetched.length]).toEqual([409, before]);
  });
});

describe('an alternative text beside media', () => {
  const altOf = async (id: string) => (await item(id))?.alt;
  const give = (id: string, alt: string) => service.client.posts.create(withMedia([id], { alt: [alt] }));

  test('is for a file that has none: the first stays', async () => {
    const id = await service.addFile();
    await give(id, 'First');
    await give(id, 'Second');
    expect(await altOf(id)).toBe('First');
  });

  test('leaves alone what a scheduled post or an open request has', async () => {
    const [inPost, inCard, free] = [await service.addFile(), await service.addFile(), await service.addFile()];
    const post = await service.client.posts.create(withMedia([inPost]));
    await service.asHuman('posts.schedule', { id: post.id, at: '2126-01-01T00:00:00Z' });
    const request = await service.client.posts.create(withMedia([inCard]));
    const agent = speak(service.url, service.token, '2025-11-25');
    const { body } = await agent.call('posts_publishNow', { id: request.id });
    expect(body.result.structuredContent).toMatchObject({ status: 'pending_approval' });
    for (const id of [inPost, inCard, free]) await give(id, 'New');
    expect([await altOf(inPost), await altOf(inCard), await altOf(free)]).toEqual([undefined, undefined, 'New']);
  });
});

test('an agent that changes a scheduled post by address asks for the bytes: the card has them, and they go out', async () => {
  const post = await service.client.posts.create(withMedia([await service.addFile()]));
  await service.asHuman('posts.schedule', { id: post.id, at: '2126-01-01T00:00:00Z' });
  const url = await publish('/card.jpg');
  const shown = await picture();
  served.set('/card.jpg', { body: shown });
  const agent = speak(service.url, service.token, '2025-11-25');
  const { body } = await agent.call('posts_update', { id: post.id, ...withMedia([url], { alt: ['A loaf'] }) });
  const cardId = /card_\w+/.exec(body.result.structuredContent.approvalUrl)?.[0];
  served.set('/card.jpg', { body: await picture() });

  const person = service.browser();
  await person.signIn();
  const { body: card } = await person.get(`/api/approvals/${cardId}`);
  const [mediaId = ''] = mediaOf(card.becomes);
  expect(mediaId).toMatch(/^media_/);
  expect(JSON.stringify(card.input)).not.toContain('cdn.example.com');
  expect(card.media.find(({ id }: MediaItem) => id === mediaId)).toMatchObject({ alt: 'A loaf' });
  const before = fetched.length;
  expect((await person.post(`/api/approvals/${cardId}/approve`)).status).toBe(200);
  expect(fetched.length).toBe(before);
  expect(mediaOf(await service.client.posts.get({ id: post.id }))).toEqual([mediaId]);
  const bytes = Buffer.from(await (await fetch(`${service.url}/media/${mediaId}`)).arrayBuffer());
  expect((await sharp(bytes).raw().toBuffer()).equals(await sharp(shown).raw().toBuffer())).toBe(true);
});
