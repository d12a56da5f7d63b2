import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { canonicalInstant } from '#contracts/instant';
import { bounds } from '#server/base/bounds';
import { jsonOf } from '#server/base/json/json-text';
import { countPixelsInUse, decodePicture, withPixels } from '#server/base/pictures';
import { sql } from '#server/base/store/database';
import { slowBodyTimeout } from '#server/doors/http/slow-body-timeout';
import { decodeHeic } from '#server/media/decode-heic';
import { createEvents } from '#server/messaging/webhooks/events';
import { heic } from '#test/support/heic';
import { type Service, startService } from '#test/support/service';
import { mp4, webm } from '#test/support/videos';

/** For each bound one input just inside and one just outside. */

let service: Service;
let browser: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService();
  browser = service.browser();
  await browser.signIn();
});
afterAll(() => service.stop());

const refusal = async (answer: Promise<{ status: number; body: { code?: string; message?: string } }>) => {
  const { status, body } = await answer;
  return `${status} ${body.code} ${body.message}`;
};

describe('text', () => {
  test('of one item has 100,000 characters', async () => {
    const create = (length: number) => service.call('posts.create', { body: 'a'.repeat(length) });
    expect((await create(100_000)).status).toBe(200);
    expect(await refusal(create(100_001))).toBe('400 BadInput body must have at most 100000 characters');
  });

  test('of one post has 300,000 characters, with copies for single accounts and options', async () => {
    const accounts = [await service.addAccount('mastodon'), await service.addAccount('mastodon')];
    const { id } = await service.client.posts.create({ accountIds: accounts, body: 'a'.repeat(99_990) });
    for (const accountId of accounts) {
      const body = 'b'.repeat(100_000);
      expect((await service.call('posts.setVersionText', { id, accountId, body })).status).toBe(200);
    }
    const option = { id, key: 'mastodon.spoiler_text' };
    expect((await service.call('posts.setOption', { ...option, value: 'c'.repeat(10) })).status).toBe(200);
    expect(await refusal(service.call('posts.setOption', { ...option, value: 'c'.repeat(11) }))).toBe(
      '400 BadInput versions must have at most 300000 characters of text in all',
    );
  });

  test('a post has 1,000 media', async () => {
    const { id } = await service.client.posts.create({});
    const media = await service.addMedia();
    const item = { body: '', media: Array(100).fill(media) };
    const update = (items: object[]) =>
      service.call('posts.update', { id, accountIds: [], versions: [{ content: items }] });
    expect((await update(Array(10).fill(item))).status).toBe(200);
    expect(await refusal(update([...Array(10).fill(item), { body: '', media: [media] }]))).toContain('1000 media');
  });
});

describe('a page of posts', () => {
  test('ends at 1 MB with nextCursor, and the pages together hold every post once', async () => {
    const other = await service.addWorkspace();
    const headers = { authorization: `Bearer ${other.token}` };
    const made: string[] = [];
    for (let i = 0; i < 25; i++) {
      made.push((await service.call('posts.create', { body: 'é'.repeat(50_000) }, headers)).body.id);
    }
    const seen: string[] = [];
    let pages = 0;
    for (let cursor: string | undefined; ; pages++) {
      const { body } = await service.call('posts.list', { limit: 100, ...(cursor && { cursor }) }, headers);
      expect(JSON.stringify(body).length).toBeLessThan(bounds.pageBytes + 110_000);
      seen.push(...body.posts.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(made.toReversed());
    expect(pages).toBe(2);
    const { body } = await service.call('posts.list', { limit: 100, status: 'Draft' }, headers);
    expect(body.posts.length).toBeLessThan(25);
    expect(body.nextCursor).toBeTruthy();
  });

  test('of media ends at 1 MB too, and the next one goes on', async () => {
    const other = await service.addWorkspace();
    const ids: string[] = [];
    for (let i = 0; i < 100; i++) {
      const id = await service.addMedia();
      await service.database.query(
        sql('test.give', 'update media set workspace_id = $2, alt = $3 where id = $1'),
        // As JSON each of these is six bytes.
        [id, other.workspaceId, '\u0001'.repeat(bounds.altCharacters)],
      );
      ids.unshift(id);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const headers = { authorization: `Bearer ${other.token}` };
      const { body } = await service.call('media.list', { limit: 100, ...(cursor && { cursor }) }, headers);
      expect(JSON.stringify(body).length).toBeLessThan(1.02 * bounds.pageBytes);
      seen.push(...body.media.map(({ id }: { id: string }) => id));
      cursor = body.nextCursor;
      pages++;
    } while (cursor);
    expect(seen).toEqual(ids);
    expect(pages).toBe(2);
  });

  test('of few small posts has no nextCursor', async () => {
    const other = await service.addWorkspace();
    const headers = { authorization: `Bearer ${other.token}` };
    for (let i = 0; i < 3; i++) await service.call('posts.create', { body: 'a' }, headers);
    expect((await service.call('posts.list', { limit: 3 }, headers)).body).not.toHaveProperty('nextCursor');
    expect((await service.call('posts.list', { limit: 2 }, headers)).body).toMatchObject({
      posts: [expect.anything(), expect.anything()],
      nextCursor: expect.any(String),
    });
  });
});

describe('a body', () => {
  const fields = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, 1])));

  test('has 20,000 fields and entries', async () => {
    expect(await refusal(service.call('posts.create', fields(20_000)))).toBe(
      '400 BadInput f0 is not a field of this input',
    );
    expect(await refusal(service.call('posts.create', fields(20_001)))).toBe(
      '400 BadInput body has more than 20000 fields and entries. Send fewer',
    );
  });

  test('is told 100 of its mistakes', async () => {
    const { body } = await service.call('posts.create', fields(101));
    expect(body.issues).toHaveLength(100);
  });

  test('is nested 32 deep', async () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect(await refusal(service.call('posts.create', nested(32)))).toBe('400 BadInput a is not a field of this input');
    expect(await refusal(service.call('posts.create', nested(33)))).toContain('is nested deeper than 32 levels');
  });

  test('that comes too slowly is cut off at /auth and /sandbox', async () => {
    const app = express();
    app.use(slowBodyTimeout(50), (req, res) => {
      req.on('error', () => undefined);
      req.resume().on('end', () => res.send('whole'));
    });
    const server = app.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    const slow = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('a')) });
    const send = (body: BodyInit) =>
      fetch(`http://127.0.0.1:${port}/auth/token`, { method: 'POST', body, duplex: 'half' } as RequestInit);
    expect(await (await send('a')).text()).toBe('whole');
    await expect(send(slow)).rejects.toThrow();
    server.close();
    server.closeAllConnections();
  });
});

describe('instants', () => {
  test.each([
    ['2026-01-01T00:00Z', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01t00:00:00z', '2026-01-01T00:00:00.000000Z'],
    ['2026-01-01T00:00:00+0200', '2025-12-31T22:00:00.000000Z'],
    ['2026-01-01T00:00:00-05', '2026-01-01T05:00:00.000000Z'],
    ['2026-01-01T00:00:00.1234567Z', '2026-01-01T00:00:00.123456Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000000Z'],
    ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
    ['9999-12-31T23:59:59+00:01', '9999-12-31T23:58:59.000000Z'],
  ])('%s is taken', (text, form) => {
    expect(canonicalInstant(text)).toBe(form);
  });

  test.each([
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T23:59:59-23:59',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+00:01',
    '2026-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00',
    '2026-01-01',
    '2026-01-01 00:00:00Z',
    '+12026-01-01T00:00:00Z',
  ])('%s is refused', async (at) => {
    expect(canonicalInstant(at)).toBeUndefined();
    expect(await refusal(service.call('posts.create', { scheduledAt: at }))).toMatch(
      /^400 BadInput scheduledAt must be/,
    );
    const asked = browser.post('/api/app/actions/posts.schedule', { id: 'post_x', at });
    expect(await refusal(asked)).toMatch(/^400 BadInput at must be an ISO-8601 instant/);
  });

  test('a stale baseUpdatedAt is found to the microsecond, however it is written', async () => {
    const { id, updatedAt } = await service.client.posts.create({});
    const update = (baseUpdatedAt: string) =>
      service.call('posts.update', { id, accountIds: [], versions: [{ content: [{ body: '' }] }], baseUpdatedAt });
    expect((await update(updatedAt.replace(/\d(?=Z)/, (digit) => String((Number(digit) + 1) % 10)))).status).toBe(409);
    expect((await update(updatedAt.replace('Z', '+0000'))).status).toBe(200);
  });

  test('a past scheduledAt in the app is named as it was sent', async () => {
    const input = { scheduledAt: '2020-01-01T00:00:00Z' };
    expect(await refusal(browser.post('/api/app/actions/posts.create', input))).toContain(
      'BadInput scheduledAt must be',
    );
  });

  test('400 days are a range, and a microsecond more is not', async () => {
    const summary = (to: string) => service.call('analytics.summary', { from: '2025-01-01T00:00:00Z', to });
    expect((await summary('2026-02-05T00:00:00Z')).status).toBe(200);
    expect(await refusal(summary('2026-02-05T00:00:00.000001Z'))).toBe(
      '400 BadInput to must be at most 400 days after from',
    );
  });

  test('a time zone of any length that nobody knows counts as UTC, and a range is echoed as it was sent', async () => {
    const range = { from: '2025-01-01t00:00z', to: '2025-02-01T00:00:00+0200', timeZone: 'x'.repeat(101) };
    expect((await service.call('analytics.summary', range)).body).toMatchObject(range);
  });

  test('in answers and events are UTC with six fraction digits', async () => {
    const account = await service.addAccount('bluesky');
    await service.client.posts.create({ accountIds: [account], scheduledAt: '2126-01-01T00:00:00.5+02:00' });
    await service.addFile();
    await browser.post('/api/auth/tokens', { name: 'x' });
    const made = [
      await browser.post('/api/app/invitations', { email: 'new@example.com', role: 'editor' }),
      await browser.get('/api/app/sandbox/clock'),
      await browser.get('/api/auth/tokens'),
      await browser.get('/api/app/members'),
      await browser.get('/api/app/invitations'),
      await browser.get('/api/app/audit'),
      await service.call('posts.list', { limit: 5 }),
      await service.call('accounts.list'),
      await service.call('media.list'),
      await service.call('ui.setContext', { page: '/' }),
    ];
    const text = JSON.stringify(made.map(({ status, body }) => ({ status, body })));
    const instants = text.match(/"\d{4}-\d\d-\d\dT[^"]*"/g) ?? [];
    expect(instants.length).toBeGreaterThan(10);
    expect(instants.filter((one) => !/^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"$/.test(one))).toEqual([]);
    expect(text).toContain('"2125-12-31T22:00:00.500000Z"');
    const kept: { body: string; createdAt: string }[] = [];
    const store = {
      insert: async (events: typeof kept) => {
        kept.push(...events);
        return [];
      },
    };
    const events = createEvents({ store: store as never, clock: service.clock });
    await events.write([{ workspaceId: 'ws', type: 'ping', data: jsonOf({}) }]);
    expect(JSON.parse(kept[0]?.body ?? '{}').createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  });
});

describe('paths', () => {
  test.each(['/approvals/%00', '/connect/choose/%00', '/api/approvals/a%00b', '/media/%00'])(
    '%s is not found',
    async (path) => {
      expect((await browser.get(path)).status).toBe(404);
    },
  );

  test.each(['/connect/bluesky/callback?state=%00', '/api/app/media?query=why?%00'])(
    'a NUL in the query of %s is BadInput',
    async (path) => {
      expect(await refusal(browser.get(path))).toBe('400 BadInput query holds a NUL character');
    },
  );
});

test('a fault of the sandbox is one of its own names', async () => {
  const plan = (fault: string) => browser.post('/api/app/sandbox/faults', { network: 'x', moment: 'read', fault });
  expect((await plan('429')).status).toBe(200);
  for (const fault of ['constructor', 'toString', '__proto__']) {
    expect(await refusal(plan(fault))).toMatch(/^400 BadInput fault must be one of 429, /);
  }
  await plan('');
});

describe('media', () => {
  const send = (parts: [string, string | Blob][]) => {
    const form = new FormData();
    for (const [name, value] of parts) form.append(name, value);
    return service.request('POST', '/api/media', { headers: { authorization: `Bearer ${service.token}` }, body: form });
  };
  const file = (bytes: Buffer) => new Blob([new Uint8Array(bytes)]);
  const picture = (width: number, height: number) =>
    sharp({ create: { width, height, channels: 3, background: '#c0392b' } });
  const left = async () =>
    (await Promise.all(['incoming', 'media'].map((folder) => readdir(join(service.config.dataDir, folder))))).flat()
      .length;

  test('so many pixels are decoded at once, and a larger picture alone', async () => {
    const { concurrentPixels: most } = bounds;
    let highest = 0;
    const decode = (pixels: number) =>
      withPixels(pixels, async () => {
        highest = Math.max(highest, countPixelsInUse());
        await new Promise(setImmediate);
      });
    await Promise.all(Array.from({ length: 6 }, () => decode(most / 2)));
    expect(highest).toBe(most);
    highest = 0;
    await Promise.all([decode(most / 2), decode(2 * most), decode(most / 2), decode(most / 2 + 1)]);
    expect(highest).toBe(2 * most);
    expect(countPixelsInUse()).toBe(0);
    await expect(withPixels(1, () => Promise.reject(new Error('damaged')))).rejects.toThrow();
    expect(countPixelsInUse()).toBe(0);
  });

  test('an upload is decoded inside that bound', async () => {
    const photo = file(await picture(7000, 6000).jpeg().toBuffer());
    let highest = 0;
    const look = setInterval(() => {
      highest = Math.max(highest, countPixelsInUse());
    }, 1);
    const answers = await Promise.all(Array.from({ length: 3 }, () => send([['file', photo]])));
    clearInterval(look);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(highest).toBe(42_000_000);
  });

  test('pictures of link cards, avatars and picture books are decoded inside that bound', async () => {
    const bytes = await picture(7000, 6000).jpeg().toBuffer();
    let highest = 0;
    const decode = (mostPixels: number) =>
      decodePicture(bytes, mostPixels, async () => {
        await new Promise(setImmediate);
        highest = Math.max(highest, countPixelsInUse());
      });
    await Promise.all([decode(42_000_000), decode(42_000_000)]);
    expect(highest).toBe(42_000_000);
    await expect(decode(41_999_999)).rejects.toThrow('pixel limit');
  });

  test('a HEIC image is not decoded when it holds more pixels than were counted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-heic-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const path = join(folder, 'horn.heic');
    await writeFile(path, heic);
    await expect(decodeHeic(path, 640 * 480 - 1)).rejects.toThrow('is a damaged or incomplete image');
    expect((await decodeHeic(path, 640 * 480)).length).toBeGreaterThan(0);
  });

  test('a form has 20 parts', async () => {
    const photo: [string, Blob] = ['file', file(await picture(10, 10).png().toBuffer())];
    const extra = (count: number): [string, string][] => Array.from({ length: count }, (_, i) => [`f${i}`, '']);
    expect(await refusal(send([photo, ...extra(19)]))).toBe('400 BadInput f0 is not a field of this input');
    expect(await refusal(send([photo, ...extra(20)]))).toBe('400 BadInput body must have at most 20 parts');
  });

  test('a part has 10 headers of 8 KiB', async () => {
    const png = await picture(10, 10).png().toBuffer();
    const upload = (...headers: string[]) =>
      service.request('POST', '/api/media', {
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'multipart/form-data; boundary=x' },
        body: Buffer.concat([
          Buffer.from(`--x\r\n${[disposition, ...headers].join('\r\n')}\r\n\r\n`),
          png,
          Buffer.from('\r\n--x--\r\n'),
        ]),
      });
    const disposition = 'Content-Disposition: form-data; name="file"; filename="a"';
    const more = (count: number) => Array.from({ length: count }, (_, i) => `X-${i}: a`);
    const long = (bytes: number) => `X: ${'a'.repeat(bytes - disposition.length - 'X: '.length - 4)}`;
    const before = await left();
    for (const headers of [more(9), [long(8_192)]]) expect((await upload(...headers)).status).toBe(200);
    const kept = await left();
    expect(kept).toBe(before + 4);
    for (const headers of [more(10), more(20_000), [long(8_193)], [long(100_000)], more(20_000).reverse()]) {
      expect(await refusal(upload(...headers))).toBe(
        '400 BadInput body must have at most 10 headers in a part, and 8192 bytes of them',
      );
    }
    expect(await left()).toBe(kept);
    const form = (...lines: string[]) =>
      service.request('POST', '/api/media', {
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'multipart/form-data; boundary="x y"' },
        body: Buffer.concat([Buffer.from(`--x y\r\n${disposition}\r\n\r\n`), png, Buffer.from(lines.join('\r\n'))]),
      });
    const alt = ['', '--x y', 'Content-Disposition: form-data; name="alt"'];
    expect(await refusal(form(...alt, ...more(10), '', 'a', '--x y--', ''))).toMatch('at most 10 headers in a part');
    expect((await form(...alt, ...more(9), '', 'a', '--x y--', ...more(2_000), '', '')).body.alt).toBe('a');
  });

  test('an alternative text that is not UTF-8 is BadInput', async () => {
    const png = await picture(10, 10).png().toBuffer();
    const part = (head: string, body: Buffer) =>
      Buffer.concat([Buffer.from(`--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n`), body, Buffer.from('\r\n')]);
    const upload = (alt: Buffer) =>
      service.request('POST', '/api/media', {
        headers: { authorization: `Bearer ${service.token}`, 'content-type': 'multipart/form-data; boundary=x' },
        body: Buffer.concat([
          part('name="alt"', alt),
          part('name="file"; filename="a"', png),
          Buffer.from('--x--\r\n'),
        ]),
      });
    expect((await upload(Buffer.from('caf\u00e9'))).body.alt).toBe('café');
    expect(await refusal(upload(Buffer.from([0x63, 0xe9])))).toBe('400 BadInput alt must be UTF-8');
  });

  test.each([
    ['24 days', mp4({ durationMs: 2 ** 31 - 1 }), 2 ** 31 - 1],
    ['a little more', mp4({ durationMs: 2 ** 31 }), undefined],
    ['a WebM of 1e300 ms', webm({ durationMs: 1e300 }), undefined],
    ['sides of 65,536', webm({ width: 65_536, height: 1 }), 4000],
  ])('a video that says %s is kept', async (_what, bytes, durationMs) => {
    const { status, body } = await send([['file', file(bytes)]]);
    expect({ status, durationMs: body.durationMs }).toEqual({ status: 200, durationMs });
  });

  test.each([
    ['wide', webm({ width: 65_537 })],
    ['wider than any number', webm({ width: 2 ** 31 })],
  ])('a video that is too %s is BadInput, and no file is left', async (_what, bytes) => {
    const before = await left();
    expect(await refusal(send([['file', file(bytes)]]))).toContain('400 BadInput file is a damaged');
    expect(await left()).toBe(before);
  });

  test('a GIF is served without comments and XMP, and still loops', async () => {
    const gif = await sharp(await picture(8, 8).gif().toBuffer())
      .gif({ loop: 3 })
      .toBuffer();
    const text = (label: number, head: string, words: string) =>
      Buffer.concat([
        Buffer.of(0x21, label),
        ...(head ? [Buffer.of(head.length), Buffer.from(head)] : []),
        Buffer.of(words.length),
        Buffer.from(words),
        Buffer.of(0),
      ]);
    const loop = Buffer.from('21ff0b4e45545343415045322e300301030000', 'hex');
    const head = 13 + (gif.readUInt8(10) & 0x80 ? 3 << ((gif.readUInt8(10) & 7) + 1) : 0);
    const noted = Buffer.concat([
      gif.subarray(0, head),
      text(0xfe, '', 'written at home'),
      loop,
      text(0xff, 'XMP DataXMP', 'by Anna'),
      gif.subarray(head),
      Buffer.from('behind the end'),
    ]);
    const { body } = await send([['file', file(noted)]]);
    const served = Buffer.from(await (await fetch(service.url + new URL(body.url).pathname)).arrayBuffer());
    for (const secret of ['home', 'Anna', 'behind']) expect(served.includes(secret)).toBe(false);
    expect(served.includes('NETSCAPE2.0')).toBe(true);
    expect((await sharp(served).metadata()).width).toBe(8);
  });

  test('an MP4 is served without XMP', async () => {
    const { body } = await send([['file', file(mp4({ xmp: '<x:xmpmeta>Anna</x:xmpmeta>' }))]]);
    const served = Buffer.from(await (await fetch(service.url + new URL(body.url).pathname)).arrayBuffer());
    expect(served.includes('Anna')).toBe(false);
    expect(served.includes('picture')).toBe(true);
  });

  test('is answered as RFC 9110 says: conditions before ranges, * is any, HEAD knows no range', async () => {
    const { body } = await send([['file', file(await picture(10, 10).png().toBuffer())]]);
    const ask = async (method: string, headers: Record<string, string>) =>
      (await fetch(service.url + new URL(body.url).pathname, { method, headers })).status;
    const etag = `"${body.id}.original"`;
    expect(await ask('GET', { 'if-none-match': '*' })).toBe(304);
    expect(await ask('GET', { 'if-none-match': `"other", W/${etag}` })).toBe(304);
    expect(await ask('GET', { 'if-none-match': `"x${body.id}.original"` })).toBe(200);
    expect(await ask('GET', { 'if-none-match': etag, range: 'bytes=999999-' })).toBe(304);
    expect(await ask('GET', { range: 'bytes=999999-' })).toBe(416);
    expect(await ask('HEAD', { range: 'bytes=0-1' })).toBe(200);
    expect(await ask('HEAD', { range: 'bytes=999999-' })).toBe(200);
  });
});

test('an entry of the audit log is short, whatever an agent asked for', async () => {
  const write = (input: object) =>
    service.posthorn.audit.write({
      event: 'test',
      workspaceId: service.owner.workspaceId,
      details: { cardId: 'c', input },
    });
  await write({ id: 'post_1', text: 'a'.repeat(100) });
  await write({ id: 'post_1', text: 'a'.repeat(1_000_000) });
  const { entries } = (await browser.get('/api/app/audit')).body;
  expect(entries.slice(0, 2).map(({ details }: { details: unknown }) => details)).toEqual([
    { cardId: 'c', input: { id: 'post_1', leftOut: expect.stringMatching(/^\d+ characters$/) } },
    { cardId: 'c', input: { id: 'post_1', text: 'a'.repeat(100) } },
  ]);
});
