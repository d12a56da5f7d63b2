import { once } from 'node:events';
import { access, open, readdir, utimes, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { MediaItem } from '#contracts/media';
import { Posthorn as Client } from '#packages/sdk/src/index';
import { sql } from '#server/base/store/database';
import { BadFile } from '#server/media/file-type';
import { readImage } from '#server/media/image';
import { describeUpload } from '#server/media/incoming';
import { readVideo } from '#server/media/video';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';
import { mp4, webm } from '#test/support/videos';

const certificate = selfSigned({ names: ['cdn.example.com'] });
const served = new Map<string, { status?: number; headers?: Record<string, string>; body?: Buffer; cut?: boolean }>();
const cdn = createSecureServer(certificate, (req, res) => {
  const { status = 200, headers = {}, body = Buffer.alloc(0), cut } = served.get(req.url ?? '') ?? { status: 404 };
  res.writeHead(status, { ...headers, 'content-length': body.length + (cut ? 1000 : 0) });
  res.write(body, () => (cut ? res.destroy() : res.end()));
});

let service: Service;
let person: ReturnType<Service['browser']>;
let photo: Buffer;
beforeAll(async () => {
  cdn.listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  const names = { 'cdn.example.com': [['93.184.216.34']], 'inside.example.com': [['10.0.0.7']] };
  const internet = pretendInternet({ names, port: (cdn.address() as AddressInfo).port });
  service = await startService(
    { MAX_IMAGE_MB: '1', MAX_VIDEO_MB: '2' },
    { internet: { ...internet, extraCa: certificate.cert } },
  );
  person = service.browser();
  await person.signIn();
  photo = await picture().jpeg().toBuffer();
});
afterAll(async () => {
  await service.stop();
  cdn.closeAllConnections();
  cdn.close();
});

const picture = (width = 1200, height = 800) =>
  sharp({ create: { width, height, channels: 3, background: '#c0392b' } });
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 }, background: '#000' },
  });

const upload = (file: Buffer, options?: { alt?: string; filename?: string }) =>
  service.client.media.upload(new Uint8Array(file), options);
const bytesOf = async ({ id }: { id: string }, query = '', headers: Record<string, string> = {}) => {
  const answer = await fetch(`${service.url}/media/${id}${query}`, { headers });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
};
const samePixels = async (a: Buffer, b: Buffer) =>
  (await sharp(a).raw().toBuffer()).equals(await sharp(b).raw().toBuffer());
const authorization = () => ({ authorization: `Bearer ${service.token}` });
const send = (parts: [string, string | Blob, string?][], headers: Record<string, string> = authorization()) => {
  const form = new FormData();
  for (const [name, value, filename] of parts) {
    if (typeof value === 'string') form.append(name, value);
    else form.append(name, value, filename);
  }
  return service.request('POST', '/api/media', { body: form, headers });
};
const blob = (file: Buffer | string) => new Blob([file as BlobPart]);
const filesLeft = async () => {
  const folders = ['incoming', 'media'].map((name) => join(service.config.dataDir, name));
  return (await Promise.all(folders.map((folder) => readdir(folder).catch(() => [])))).flat().sort();
};

test('a file stays when the connection broke and nobody knows whether its record is there', async () => {
  const { uploads } = service.posthorn;
  const bytes = await picture().jpeg().toBuffer();
  const received = await uploads.receive(Readable.from([bytes]), 'file');
  const caller = { ...service.owner, role: 'owner', mayPublish: false, isPerson: false } as const;
  let id = '';
  const keeping = uploads.keep(caller, received, { alt: undefined, name: undefined }, async (write) => {
    id = (await write()).id;
    throw new Error('the answer to the commit was lost');
  });
  await expect(keeping).rejects.toThrow('the answer to the commit was lost');
  expect((await bytesOf({ id })).status).toBe(200);
});

describe('an Idempotency-Key of an upload', () => {
  const keyed = () => ({ ...authorization(), 'idempotency-key': crypto.randomUUID() });
  const items = async () => (await service.client.media.list({ limit: 100 })).media.length;

  test('adds the file once, also when it comes twice at the same time, and keeps no second copy', async () => {
    const file: [string, Blob] = ['file', blob(await picture().jpeg().toBuffer())];
    const headers = keyed();
    const before = { items: await items(), files: (await filesLeft()).length };
    const [first, second] = await Promise.all([send([file], headers), send([file], headers)]);
    const third = await send([file], headers);
    expect(second.body).toEqual(first.body);
    expect(third.body).toEqual(first.body);
    const replayed = [first, second].map((answer) => answer.headers.get('idempotency-replayed'));
    expect(replayed.sort()).toEqual([null, 'true'].sort());
    expect(third.headers.get('idempotency-replayed')).toBe('true');
    expect({ items: await items(), files: (await filesLeft()).length }).toEqual({
      items: before.items + 1,
      files: before.files + 2,
    });
  });

  test('with another file or alternative text is a Conflict that keeps nothing', async () => {
    const bytes = await picture().jpeg().toBuffer();
    const headers = keyed();
    await send([['file', blob(bytes)]], headers);
    const before = await filesLeft();
    for (const parts of [
      [['file', blob(await picture().png().toBuffer())]],
      [
        ['file', blob(bytes)],
        ['alt', 'A red field'],
      ],
    ] as [string, string | Blob][][]) {
      expect((await send(parts, headers)).body.code).toBe('Conflict');
    }
    expect(await filesLeft()).toEqual(before);
  });

  test('belongs to its user: with the same key somebody else adds a file of their own', async () => {
    const file: [string, Blob] = ['file', blob(photo)];
    const headers = keyed();
    const mine = await send([file], headers);
    const { token } = await service.addMember('editor');
    const theirs = await send([file], { ...headers, authorization: `Bearer ${token}` });
    expect(theirs.status).toBe(200);
    expect(theirs.body.id).not.toBe(mine.body.id);
  });

  test('is forgotten after 24 hours: the same file is a new item then', async () => {
    const file: [string, Blob] = ['file', blob(photo)];
    const headers = keyed();
    const first = await send([file], headers);
    await service.clock.forward(24 * 3_600_000 - 60_000);
    expect((await send([file], headers)).body).toEqual(first.body);
    await service.clock.forward(2 * 60_000);
    const later = await send([file], headers);
    expect(later.status).toBe(200);
    expect(later.body.id).not.toBe(first.body.id);
  });
});

describe('an upload', () => {
  test.each([
    ['JPEG', 'image/jpeg', () => picture().jpeg().toBuffer()],
    ['PNG', 'image/png', () => picture().png().toBuffer()],
    ['GIF', 'image/gif', () => picture().gif().toBuffer()],
    ['WebP', 'image/webp', () => picture().webp().toBuffer()],
    ['AVIF', 'image/avif', () => picture().avif({ effort: 0 }).toBuffer()],
  ])('of a %s image answers the media item, and media.list shows it', async (_name, mimeType, make) => {
    const file = await make();
    const item = await upload(file, { alt: '  A red field ' });
    expect(item).toEqual({
      id: expect.stringMatching(/^media_[0-9A-Z]{26}$/),
      kind: 'Image',
      mimeType,
      bytes: expect.any(Number),
      width: 1200,
      height: 800,
      alt: 'A red field',
      url: `http://posthorn.test/media/${item.id}`,
      thumbnailUrl: `http://posthorn.test/media/${item.id}?size=thumbnail`,
      createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect((await service.client.media.list({ limit: 1 })).media).toEqual([{ ...item, name: expect.any(String) }]);
    const { headers, body } = await bytesOf(item);
    expect(headers.get('content-type')).toBe(mimeType);
    expect(body.length).toBe(item.bytes);
    expect(await samePixels(body, file)).toBe(true);
    const thumbnail = await bytesOf(item, '?size=thumbnail');
    expect(thumbnail.headers.get('content-type')).toBe('image/webp');
    expect(await sharp(thumbnail.body).metadata()).toMatchObject({ format: 'webp', width: 400, height: 267 });
  });

  test.each([
    ['MP4', mp4(), { mimeType: 'video/mp4', width: 1280, height: 720, durationMs: 10_000 }],
    ['MOV', mp4({ brand: 'qt  ' }), { mimeType: 'video/quicktime', width: 1280, height: 720, durationMs: 10_000 }],
    ['turned MP4', mp4({ lying: true }), { mimeType: 'video/mp4', width: 720, height: 1280 }],
    ['WebM', webm(), { mimeType: 'video/webm', width: 640, height: 360, durationMs: 4000 }],
  ])('of a %s video reads its size and length from the file', async (_name, file, facts) => {
    const item = await upload(file);
    expect(item).toMatchObject({ kind: 'Video', bytes: file.length, ...facts });
    expect((await bytesOf(item)).body).toEqual(file);
    const { format, width = 0, height = 0 } = await sharp((await bytesOf(item, '?size=thumbnail')).body).metadata();
    expect({ format, longest: Math.max(width, height) }).toEqual({ format: 'webp', longest: 400 });
    expect(width > height).toBe(item.width > item.height);
  });

  test('of a video that does not say how long it is has no duration', async () => {
    expect(await upload(webm({ durationMs: 0 }))).not.toHaveProperty('durationMs');
  });

  test('is judged by its content, whatever its name and declared type are', async () => {
    const { status, body } = await send([['file', new Blob([photo as BlobPart], { type: 'text/html' }), 'page.html']]);
    expect({ status, mimeType: body.mimeType }).toEqual({ status: 200, mimeType: 'image/jpeg' });
    expect((await bytesOf(body)).headers.get('content-type')).toBe('image/jpeg');
  });

  test.each<[string, Buffer | string]>([
    ['an SVG image', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ['a page', '<!doctype html><script>alert(1)</script>'],
    ['a program', Buffer.from('7f454c46020101000000000000000000', 'hex')],
    ['a text', 'hello'],
    ['nothing', ''],
    ['a HEIC image', mp4({ brand: 'heic' })],
    ['a raw photo', mp4({ brand: 'crx ' })],
    ['a sound', mp4({ track: 'soun', brand: 'M4A ' })],
    ['a Matroska video', webm({ docType: 'matroska' })],
    ['a head without a body', Buffer.from('ffd8ffe000104a464946', 'hex')],
    ['half a video', mp4().subarray(0, -20)],
    ['a video without tables', mp4().subarray(0, 20)],
    ['the head of a WebM', webm().subarray(0, 40)],
    ['a video whose boxes lie', Buffer.concat([mp4().subarray(0, 28), Buffer.from('ffffffff6d6f6f76', 'hex')])],
  ])('of %s is 400 naming the field', async (_what, file) => {
    const before = await filesLeft();
    const { status, body } = await send([['file', blob(file), 'photo.jpg']]);
    expect({ status, code: body.code, path: body.issues[0].path }).toEqual({
      status: 400,
      code: 'BadInput',
      path: 'file',
    });
    expect(body.message).toMatch(/^file [a-z]/);
    expect(await filesLeft()).toEqual(before);
  });

  test('of half an image is 400', async () => {
    for (const whole of [await noise(300, 300).jpeg().toBuffer(), await noise(300, 300).png().toBuffer()]) {
      const { status, body } = await send([['file', blob(whole.subarray(0, whole.length / 2)), 'a']]);
      expect({ status, code: body.issues[0].code }).toEqual({ status: 400, code: 'Unreadable' });
    }
  });

  test('of an image that is of another format than its first bytes said is refused', async () => {
    const file = join(service.config.dataDir, 'a.png');
    await writeFile(file, photo);
    await expect(readImage(file, 'image/png')).rejects.toMatchObject({ code: 'Unreadable' });
    await expect(readImage(file, 'image/jpeg')).resolves.toMatchObject({ width: 1200 });
  });

  test('beyond the limit of its kind is BadInput', async () => {
    const before = await filesLeft();
    const big = Buffer.concat([photo, Buffer.alloc(1024 * 1024)]);
    const image = await send([['file', blob(big), 'big.jpg']]);
    expect(image).toMatchObject({
      status: 400,
      body: { code: 'BadInput', issues: [{ path: 'file', code: 'TooBig' }] },
    });
    expect((await upload(mp4({ padding: 1024 * 1024 }))).kind).toBe('Video');
    const video = await send([['file', blob(mp4({ padding: 2 * 1024 * 1024 })), 'big.mp4']]);
    expect(video).toMatchObject({ status: 400, body: { issues: [{ path: 'file', limit: 2 * 1024 * 1024 }] } });
    expect((await filesLeft()).length).toBe(before.length + 2);
  });

  test('of a small file that unfolds into too many pixels is refused', async () => {
    const bomb = await picture(10_001, 10_000).toColourspace('b-w').png({ compressionLevel: 6 }).toBuffer();
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const { status, body } = await send([['file', blob(bomb), 'bomb.png']]);
    expect({ status, code: body.issues[0].code }).toEqual({ status: 400, code: 'TooBig' });
  });

  test('that takes too long to decode is told so, and not that it is damaged', async () => {
    const { default: sharp } = await import('sharp');
    // The error that libvips throws on a timeout. A real image that slow would take half a minute.
    const decode = vi.spyOn(sharp.prototype, 'toBuffer').mockRejectedValueOnce(new Error('timeout: 42% complete'));
    const { status, body } = await send([['file', blob(photo), 'slow.jpg']]);
    decode.mockRestore();
    expect({ status, issue: body.issues[0] }).toMatchObject({
      status: 400,
      issue: { path: 'file', code: 'TooBig', message: expect.stringContaining('takes longer than 30 seconds') },
    });
  });

  test('that breaks off leaves nothing behind', async () => {
    const before = await filesLeft();
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    const head = ['--x', 'content-disposition: form-data; name="file"; filename="a.jpg"', '', ''].join('\r\n');
    socket.write(
      [
        'POST /api/media HTTP/1.1',
        'host: posthorn.test',
        `authorization: Bearer ${service.token}`,
        'content-type: multipart/form-data; boundary=x',
        'content-length: 1000000',
        '',
        head,
      ].join('\r\n'),
    );
    socket.write(photo.subarray(0, 2000));
    await until('it has begun', async () => (await filesLeft()).length === before.length + 1);
    socket.destroy();
    await until('it is gone', async () => (await filesLeft()).length === before.length);
  });

  test.each<[string, string, string]>([
    ['without an end', '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc', 'file'],
    ['without a file', '--x\r\ncontent-disposition: form-data; name="alt"\r\n\r\nabc\r\n--x--\r\n', 'file'],
    ['without anything', '', 'file'],
    ['with a part that ends in its headers', '--x\r\ncontent-disposition: form-data; name="file"\r\n--x--\r\n', 'file'],
    ['with a part that ends in its first header', '--x\r\ncontent-dispos', 'file'],
    ['with a part that has just begun', '--x\r\n', 'file'],
    ['with a boundary alone', '--x', 'file'],
    [
      'with a second part that ends in its headers',
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc\r\n--x\r\ncontent-disposition: form-data',
      'file',
    ],
  ])('as a form %s is 400 at once', async (_what, body, path) => {
    const headers = { ...authorization(), 'content-type': 'multipart/form-data; boundary=x' };
    expect(await service.request('POST', '/api/media', { headers, body })).toMatchObject({
      status: 400,
      body: { code: 'BadInput', issues: [{ path }] },
    });
  });

  test('as a form without a boundary is 400', async () => {
    const headers = { ...authorization(), 'content-type': 'multipart/form-data' };
    expect(await service.request('POST', '/api/media', { headers, body: 'x' })).toMatchObject({ status: 400 });
  });

  test('with a wrong field beside the file is 400 naming it, and keeps nothing', async () => {
    const before = await filesLeft();
    const file: [string, Blob, string] = ['file', blob(photo), 'a.jpg'];
    for (const [parts, path] of [
      [[file, ['altt', 'x']], 'altt'],
      [[file, ['alt', 'x'.repeat(2001)]], 'alt'],
      [[file, ['alt', 'a\0b']], 'alt'],
      [[file, ['alt', 'x'], ['alt', 'y']], 'alt'],
      [[file, ['__proto__', 'x']], '__proto__'],
      [[file, file], 'file'],
      [[file, ['second', blob(photo), 'b.jpg']], 'second'],
    ] as [[string, string | Blob, string?][], string][]) {
      const { status, body } = await send(parts);
      expect({ status, path: body.issues[0].path }).toEqual({ status: 400, path });
    }
    expect(await filesLeft()).toEqual(before);
  });

  test('takes the alternative text after the file as well as before it', async () => {
    expect(
      (
        await send([
          ['file', blob(photo), 'a.jpg'],
          ['alt', 'Später ✓'],
        ])
      ).body.alt,
    ).toBe('Später ✓');
    expect(
      (
        await send([
          ['alt', ''],
          ['file', blob(photo), 'a.jpg'],
        ])
      ).body,
    ).not.toHaveProperty('alt');
  });

  test('with a type that is neither a form nor JSON is BadInput', async () => {
    const headers = { ...authorization(), 'content-type': 'image/jpeg' };
    expect((await service.request('POST', '/api/media', { headers, body: blob(photo) })).status).toBe(400);
  });
});

describe('metadata', () => {
  const place = { IFD0: { Copyright: 'Secret name' }, IFD3: { GPSLatitudeRef: 'N' } };

  test.each([
    ['JPEG', () => noise(60, 40).withMetadata({ orientation: 6 }).withExif(place).jpeg().toBuffer()],
    ['PNG', () => noise(60, 40).withMetadata({ orientation: 6 }).withExif(place).png().toBuffer()],
    ['WebP', () => noise(60, 40).withMetadata({ orientation: 6 }).withExif(place).webp().toBuffer()],
  ])('of a %s is gone, its pixels and orientation stay', async (_name, make) => {
    const file = await make();
    expect(file.includes('Secret name')).toBe(true);
    const item = await upload(file);
    const { body } = await bytesOf(item);
    expect(body.includes('Secret name')).toBe(false);
    expect(await samePixels(body, file)).toBe(true);
    expect((await sharp(body).metadata()).orientation).toBe(6);
    expect(item).toMatchObject({ width: 40, height: 60, bytes: body.length });
    const thumbnail = await sharp((await bytesOf(item, '?size=thumbnail')).body).metadata();
    expect(thumbnail).toMatchObject({ width: 40, height: 60 });
  });

  test('of an AVIF is blanked', async () => {
    const file = await noise(60, 40).withExif(place).avif({ effort: 0 }).toBuffer();
    expect(file.includes('Secret name')).toBe(true);
    const { body } = await bytesOf(await upload(file));
    expect(body.includes('Secret name')).toBe(false);
    expect(await samePixels(body, file)).toBe(true);
  });

  test('keeps the colour profile, and cuts what stands behind the end of a JPEG', async () => {
    const file = await noise(60, 40).withIccProfile('p3').jpeg({ progressive: true }).toBuffer();
    const { body } = await bytesOf(await upload(Buffer.concat([file, Buffer.from('trailing secret')])));
    expect(body).toEqual(file);
    expect((await sharp(body).metadata()).icc).toBeDefined();
  });

  test('of a video, where it was recorded, is gone', async () => {
    const { body } = await bytesOf(await upload(mp4({ place: '+47.0707+015.4395/' })));
    expect(body.includes('47.0707')).toBe(false);
    expect(body.length).toBe(mp4({ place: '+47.0707+015.4395/' }).length);
  });
});

describe('the bytes', () => {
  test('are public at an unguessable id, with fixed type, nosniff and a long cache', async () => {
    const { status, headers, body } = await bytesOf(await upload(photo));
    expect(status).toBe(200);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'image/jpeg',
      'content-length': String(body.length),
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
    });
  });

  test('that a client has already are 304', async () => {
    const item = await upload(photo);
    const etag = (await bytesOf(item)).headers.get('etag') ?? '';
    expect(await bytesOf(item, '', { 'if-none-match': etag })).toMatchObject({ status: 304, body: Buffer.alloc(0) });
  });

  test('come in ranges', async () => {
    const file = mp4();
    const item = await upload(file);
    const size = file.length;
    for (const [range, from, to] of [
      ['bytes=0-9', 0, 10],
      ['bytes=100-', 100, size],
      ['bytes=-7', size - 7, size],
      [`bytes=10-${size + 100}`, 10, size],
      ['bytes=-999999', 0, size],
    ] as const) {
      const { status, headers, body } = await bytesOf(item, '', { range });
      expect(status).toBe(206);
      expect(headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/${size}`);
      expect(body).toEqual(file.subarray(from, to));
    }
    const outside = await bytesOf(item, '', { range: `bytes=${size}-` });
    expect({ status: outside.status, range: outside.headers.get('content-range') }).toEqual({
      status: 416,
      range: `bytes */${size}`,
    });
    for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'lines=1-2', 'bytes=-']) {
      expect(await bytesOf(item, '', { range })).toMatchObject({ status: 200, body: file });
    }
    expect((await bytesOf(item, '', { range: 'bytes=0-9', 'if-range': '"other"' })).status).toBe(200);
  });

  test('answer HEAD with their length alone', async () => {
    const item = await upload(photo);
    const { status, headers, body } = await service.request('HEAD', `/media/${item.id}`);
    expect({ status, body, length: headers.get('content-length') }).toEqual({
      status: 200,
      body: '',
      length: String(item.bytes),
    });
    expect((await service.request('HEAD', `/media/${item.id}?size=thumbnail`)).status).toBe(200);
  });

  test.each([
    ['/media/media_01JCQ3A1B2C3D4E5F6G7H8J9K0', 404],
    ['/media/..%2Fdatabase', 404],
    ['/media/%00', 404],
  ])('at %s are %i', async (path, status) => {
    expect((await service.request('GET', path)).status).toBe(status);
  });

  test('have two sizes and two methods', async () => {
    const { id } = await upload(photo);
    expect(await service.request('GET', `/media/${id}?size=huge`)).toMatchObject({
      status: 400,
      body: { issues: [{ path: 'size' }] },
    });
    expect((await service.request('POST', `/media/${id}`)).status).toBe(405);
  });
});

describe('by URL', () => {
  const from = (url: string) => service.client.media.uploadFromUrl(url, { alt: 'From afar' });
  const refused = (url: string) =>
    service.request('POST', '/api/media', {
      headers: { ...authorization(), 'content-type': 'application/json' },
      body: JSON.stringify({ url }),
    });

  test('a file is fetched and kept like an upload', async () => {
    served.set('/photo.jpg?x=1', { body: photo, headers: { 'content-type': 'text/html' } });
    const item = await from('https://cdn.example.com/photo.jpg?x=1');
    expect(item).toMatchObject({ kind: 'Image', mimeType: 'image/jpeg', alt: 'From afar', width: 1200 });
    expect((await bytesOf(item)).status).toBe(200);
  });

  test('redirects are followed, each through the same checks', async () => {
    served.set('/moved', { status: 302, headers: { location: '/photo2.jpg' } });
    served.set('/photo2.jpg', { body: photo });
    expect((await from('https://cdn.example.com/moved')).mimeType).toBe('image/jpeg');
    served.set('/inside', { status: 302, headers: { location: 'https://inside.example.com/photo2.jpg' } });
    served.set('/plain', { status: 302, headers: { location: 'http://cdn.example.com/photo2.jpg' } });
    served.set('/loop', { status: 302, headers: { location: '/loop' } });
    for (const path of ['inside', 'plain', 'loop']) {
      expect(await refused(`https://cdn.example.com/${path}`)).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'url' }] },
      });
    }
  });

  test.each([301, 302, 303, 307, 308])('a redirect with status %i is followed', async (status) => {
    served.set(`/from-${status}`, { status, headers: { location: '/photo2.jpg' } });
    served.set('/photo2.jpg', { body: photo });
    expect((await from(`https://cdn.example.com/from-${status}`)).mimeType).toBe('image/jpeg');
  });

  test('five redirects in a row are followed, and not a sixth', async () => {
    for (let hop = 1; hop <= 6; hop++)
      served.set(`/hop-${hop}`, { status: 302, headers: { location: hop === 1 ? '/photo2.jpg' : `/hop-${hop - 1}` } });
    served.set('/photo2.jpg', { body: photo });
    expect((await from('https://cdn.example.com/hop-5')).mimeType).toBe('image/jpeg');
    expect((await refused('https://cdn.example.com/hop-6')).body.message).toContain('from one redirect to the next');
  });

  test.each([
    ['a private address', 'https://10.0.0.1/a.jpg'],
    ['this machine', 'https://127.0.0.1/a.jpg'],
    ['the metadata service of a cloud', 'http://169.254.169.254/latest/'],
    ['a name that resolves to a private address', 'https://inside.example.com/a.jpg'],
    ['plain http', 'http://cdn.example.com/a.jpg'],
    ['a file of the server', 'file:///etc/passwd'],
    ['a name that does not exist', 'https://nowhere.example.com/a.jpg'],
    ['an address that answers 404', 'https://cdn.example.com/missing.jpg'],
    ['no address', 'photo.jpg'],
    ['nothing', ''],
  ])('%s is refused', async (_what, url) => {
    const before = await filesLeft();
    expect(await refused(url)).toMatchObject({ status: 400, body: { code: 'BadInput', issues: [{ path: 'url' }] } });
    expect(await filesLeft()).toEqual(before);
  });

  test('what is no media, is too large or breaks off is refused and leaves nothing behind', async () => {
    const before = await filesLeft();
    served.set('/page', {
      body: Buffer.from('<!doctype html><p>Hello</p>'),
      headers: { 'content-type': 'image/jpeg' },
    });
    served.set('/large', { body: Buffer.concat([photo, Buffer.alloc(1024 * 1024)]) });
    served.set('/cut', { body: photo.subarray(0, 500), cut: true });
    for (const [path, status] of [
      ['page', 400],
      ['large', 400],
      ['cut', 400],
    ] as const) {
      expect(await refused(`https://cdn.example.com/${path}`)).toMatchObject({
        status,
        body: { issues: [{ path: 'url' }] },
      });
    }
    expect(await filesLeft()).toEqual(before);
  });
});

describe('who may', () => {
  const change = (method: string, path: string, headers: Record<string, string>, body = '{"alt":"x"}') =>
    service.request(method, path, { headers: { 'content-type': 'application/json', ...headers }, body });

  test('a person in the app: upload, change, delete, from our own pages', async () => {
    const browser = service.browser();
    await browser.signIn();
    const cookie = { cookie: browser.cookie() };
    const own = { ...cookie, origin: service.config.baseUrl };
    const { status, body } = await send([['file', blob(photo), 'a.jpg']], own);
    expect(status).toBe(200);
    expect((await change('PATCH', `/api/media/${body.id}`, own)).body.alt).toBe('x');
    for (const headers of [
      cookie,
      { ...cookie, origin: 'https://evil.example' },
      { ...own, 'sec-fetch-site': 'cross-site' },
    ]) {
      expect(await send([['file', blob(photo), 'a.jpg']], headers)).toMatchObject({ status: 403 });
      expect(await change('PATCH', `/api/media/${body.id}`, headers)).toMatchObject({ status: 403 });
      expect(await change('POST', '/api/media', headers, '{"url":"https://cdn.example.com/"}')).toMatchObject({
        status: 403,
      });
    }
    expect((await change('DELETE', `/api/media/${body.id}`, own, '')).body).toEqual({ id: body.id, deleted: true });
  });

  test('nobody without a session or token, and no access token of an identity provider', async () => {
    const { id } = await upload(photo);
    for (const headers of [
      {},
      { authorization: 'Bearer posthorn_pat_wrong' },
      { authorization: 'Bearer eyJhbGciOiJFUzI1NiJ9.e30.AAAA' },
    ]) {
      const answers = [
        await send([['file', blob(photo), 'a.jpg']], headers as Record<string, string>),
        await change('POST', '/api/media', headers as Record<string, string>),
        await change('PATCH', `/api/media/${id}`, headers as Record<string, string>),
        await change('DELETE', `/api/media/${id}`, headers as Record<string, string>),
      ];
      for (const answer of answers) expect(answer).toMatchObject({ status: 401, body: { code: 'Unauthorized' } });
    }
  });

  test('who is refused at once gets the answer, however large the file is', async () => {
    const form = new FormData();
    form.set('file', blob(mp4({ padding: 20_000_000 })), 'a.mp4');
    expect((await service.request('POST', '/api/media', { body: form })).status).toBe(401);
    expect((await service.request('POST', '/api/media', { body: form, headers: authorization() })).status).toBe(400);
  });

  test.each(['viewer', 'editor', 'admin'] as const)('the role %s with its own token', async (role) => {
    const { token } = await service.addMember(role);
    const headers = { authorization: `Bearer ${token}` };
    const { id } = await upload(photo);
    expect((await send([['file', blob(photo), 'a.jpg']], headers)).status).toBe(role === 'viewer' ? 403 : 200);
    expect((await change('PATCH', `/api/media/${id}`, headers)).status).toBe(403);
    expect((await change('DELETE', `/api/media/${id}`, headers, '')).status).toBe(403);
  });

  test.each(['viewer', 'editor', 'admin'] as const)('the role %s in the app', async (role) => {
    const browser = service.browser();
    await browser.signIn((await service.addMember(role)).email);
    const status = role === 'viewer' ? 403 : 200;
    const { id } = await upload(photo);
    expect((await browser.patch(`/api/media/${id}`, { alt: 'x' })).status).toBe(status);
    expect((await browser.delete(`/api/media/${id}`)).status).toBe(status);
  });

  test('another workspace sees the bytes by their id, and nothing else of it', async () => {
    const item = await upload(photo);
    const { token, email } = await service.addWorkspace();
    const stranger = service.browser();
    await stranger.signIn(email);
    expect((await stranger.patch(`/api/media/${item.id}`, { alt: 'x' })).status).toBe(404);
    expect((await stranger.delete(`/api/media/${item.id}`)).status).toBe(404);
    const theirs = new Client({ token: () => token, baseUrl: service.url, maxRetries: 0 });
    expect((await theirs.media.list()).media).toEqual([]);
    const { id } = await theirs.posts.create({ body: 'Mine?' });
    const versions = [{ content: [{ body: 'Mine?', media: [item.id] }] }];
    await expect(theirs.posts.update({ id, accountIds: [], versions })).rejects.toMatchObject({ code: 'BadInput' });
    expect((await bytesOf(item)).status).toBe(200);
  });
});

describe('the alternative text', () => {
  const patch = (id: string, body: unknown) => person.patch(`/api/media/${id}`, body);

  test('is changed and removed', async () => {
    const { id } = await upload(photo, { alt: 'Old' });
    expect((await patch(id, { alt: 'New' })).body.alt).toBe('New');
    expect((await patch(id, { alt: '' })).body).not.toHaveProperty('alt');
    expect(await patch('media_unknown', { alt: 'x' })).toMatchObject({ status: 404, body: { code: 'NotFound' } });
  });

  test.each([
    [{}, 'alt'],
    [{ alt: 1 }, 'alt'],
    [{ alt: 'x'.repeat(2001) }, 'alt'],
    [{ alt: 'a\0' }, 'alt'],
    [{ alt: 'x', kind: 'Video' }, 'kind'],
  ])('as %j is 400', async (body, path) => {
    const { id } = await upload(photo);
    expect(await patch(id, body)).toMatchObject({ status: 400, body: { code: 'BadInput', issues: [{ path }] } });
  });
});

describe('a post with it', () => {
  const postWith = async (network: string, media: MediaItem) => {
    const account = await service.addAccount(network);
    const { id } = await service.client.posts.create({ body: 'Look' });
    await service.client.posts.update({
      id,
      accountIds: [account],
      versions: [{ content: [{ body: 'Look', media: [media.id] }] }],
    });
    return id;
  };

  test('is checked against the limits of each network', async () => {
    const jpeg = await upload(photo);
    expect(await service.client.posts.validate({ id: await postWith('mastodon', jpeg) })).toMatchObject({
      valid: true,
    });
    const long = await upload(mp4({ durationMs: 3_600_000 }));
    await expect(service.client.posts.validate({ id: await postWith('bluesky', long) })).rejects.toMatchObject({
      code: 'Invalid',
      issues: [{ code: 'VideoTooLong', actual: 3_600_000 }],
    });
  });

  test('keeps it from being deleted', async () => {
    const item = await upload(photo);
    const id = await postWith('mastodon', item);
    const remove = () => person.delete(`/api/media/${item.id}`);
    expect(await remove()).toMatchObject({ status: 409, body: { code: 'Conflict' } });
    expect((await bytesOf(item)).status).toBe(200);
    await service.asHuman('posts.delete', { id });
    expect(await remove()).toMatchObject({ status: 200, body: { id: item.id, deleted: true } });
    expect((await bytesOf(item)).status).toBe(404);
    expect((await bytesOf(item, '?size=thumbnail')).status).toBe(404);
    expect((await remove()).status).toBe(404);
    expect((await filesLeft()).join()).not.toContain(item.id);
  });

  test('taken into use while it is deleted ends in one of the two, never in a post without its file', async () => {
    for (let round = 0; round < 10; round++) {
      const item = await upload(photo);
      const { id } = await service.client.posts.create({ body: 'Race' });
      const versions = [{ content: [{ body: 'Race', media: [item.id] }] }];
      const [used, removed] = await Promise.all([
        service.call('posts.update', { id, accountIds: [], versions }),
        person.delete(`/api/media/${item.id}`),
      ]);
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([used.status, removed.status]);
    }
  });

  test('that is being made keeps it from being deleted', async () => {
    const item = await upload(photo);
    const waiting = sql(
      'test.waiting',
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    const { database } = service;
    const wait = (locks: number) =>
      database.outside(() => until(`${locks} wait`, async () => (await database.query(waiting)).length === locks));
    const answers = await database.transaction(async () => {
      await database.query(sql('test.hold', 'lock table posts in exclusive mode'));
      const versions = [{ content: [{ body: 'Look', media: [item.id] }] }];
      const made = service.call('posts.create', { versions });
      await wait(1);
      const removed = person.delete(`/api/media/${item.id}`);
      await wait(2);
      return [made, removed] as const;
    });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 409]);
  });
});

describe('a PDF', () => {
  const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<</Type/Catalog>>\nendobj\n%%EOF\n');

  test('is kept as it is with a sober picture, and is saved, never shown on our address', async () => {
    const item = await upload(pdf, { filename: 'prices.pdf' });
    expect(item).toMatchObject({
      kind: 'Document',
      mimeType: 'application/pdf',
      bytes: pdf.length,
      width: 0,
      height: 0,
    });
    const { headers, body } = await bytesOf(item);
    expect(body).toEqual(pdf);
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
    });
    expect(await sharp((await bytesOf(item, '?size=thumbnail')).body).metadata()).toMatchObject({ format: 'webp' });
    expect((await person.get('/api/app/media?kind=Document')).body.media).toMatchObject([
      { id: item.id, name: 'prices.pdf' },
    ]);
  });

  test('that is not whole is refused', async () => {
    await expect(upload(pdf.subarray(0, 30))).rejects.toMatchObject({
      code: 'BadInput',
      issues: [{ code: 'Unreadable' }],
    });
  });

  test('goes to LinkedIn alone and alone: elsewhere and beside others there is an issue', async () => {
    const [file, other] = [await upload(pdf), await upload(photo)];
    const issuesOn = async (network: string, media: string[]) => {
      const account = await service.addAccount(network);
      const { id } = await service.client.posts.create({ body: 'Our prices' });
      const versions = [{ content: [{ body: 'Our prices', media }] }];
      await service.client.posts.update({ id, accountIds: [account], versions });
      const answer = await service.call('posts.validate', { id });
      return (answer.body.issues ?? []).map(({ code }: { code: string }) => code);
    };
    expect(await issuesOn('linkedin', [file.id])).toEqual([]);
    expect(await issuesOn('linkedin', [file.id, other.id])).toEqual(['MixedMedia']);
    for (const network of ['bluesky', 'mastodon', 'x', 'threads', 'facebook', 'google_business', 'pixelfed']) {
      expect(await issuesOn(network, [file.id]), network).toContain('MediaKind');
    }
  });
});

describe('an option that names a file', () => {
  const key = 'youtube.thumbnail';
  const draft = async () => {
    const account = await service.addAccount('youtube');
    const film = await upload(mp4());
    const { id } = await service.client.posts.create({ body: 'Look', accountIds: [account] });
    const written = { id, accountIds: [account] };
    const versions = (thumbnail: string) => [
      { content: [{ body: 'Look', media: [film.id] }], options: { [key]: thumbnail } },
    ];
    await service.client.posts.update({ ...written, versions: versions('') });
    return { ...written, versions };
  };

  test('is refused when the library has no such file, naming the path', async () => {
    const { id, accountIds, versions } = await draft();
    const gone = 'media_01JCQ3A1B2C3D4E5F6G7H8J9K0';
    for (const [value, code] of [
      [gone, 'UnknownMedia'],
      ['a picture', 'OptionValue'],
    ] as const) {
      await expect(service.client.posts.setOption({ id, key, value })).rejects.toMatchObject({
        code: 'BadInput',
        issues: [{ path: 'value', code }],
      });
      await expect(service.client.posts.update({ id, accountIds, versions: versions(value) })).rejects.toMatchObject({
        code: 'BadInput',
        issues: [{ path: `versions.0.options.${key}`, code }],
      });
    }
  });

  test('is checked against what the option takes, and providers.limits says that', async () => {
    const { id } = await draft();
    const { providers } = await service.client.providers.limits();
    const option = providers.flatMap(({ options }) => options).find((one) => one.key === key);
    expect(option).toMatchObject({
      type: 'Media',
      file: { mimeTypes: ['image/jpeg', 'image/png'], maxBytes: 2_000_000 },
    });
    for (const [file, code] of [
      [await picture().webp().toBuffer(), 'MediaType'],
      [await picture(320, 180).jpeg().toBuffer(), 'MediaTooSmall'],
      [mp4(), 'MediaKind'],
    ] as const) {
      await service.client.posts.setOption({ id, key, value: (await upload(file)).id });
      await expect(service.client.posts.validate({ id })).rejects.toMatchObject({
        code: 'Invalid',
        issues: [{ path: `versions.0.options.${key}`, code }],
      });
    }
    await service.client.posts.setOption({ id, key, value: (await upload(photo)).id });
    expect(await service.client.posts.validate({ id })).toMatchObject({ valid: true });
  });

  test('uses the file: it is shown so, and is not deleted under the post', async () => {
    const { id } = await draft();
    const item = await upload(photo);
    await service.client.posts.setOption({ id, key, value: item.id });
    const found = (await person.get(`/api/app/media?ids=${item.id}`)).body.media;
    expect(found).toMatchObject([{ id: item.id, usedIn: 1 }]);
    expect(await person.delete(`/api/media/${item.id}`)).toMatchObject({ status: 409 });
    await service.client.posts.setOption({ id, key, value: '' });
    expect(await person.delete(`/api/media/${item.id}`)).toMatchObject({ status: 200 });
  });

  test('stays with its post: a template keeps none', async () => {
    const options = { [key]: (await upload(photo)).id };
    const template = { kind: 'Text', name: 'Film', items: ['Look'], options };
    expect(await person.post('/api/app/templates', template)).toMatchObject({
      status: 400,
      body: { code: 'BadInput', issues: [{ path: `options.${key}` }] },
    });
  });
});

test('a full disk is told as what it is', async () => {
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  const told = describeUpload('file', () => Promise.reject(full));
  await expect(told).rejects.toMatchObject({
    code: 'Internal',
    message: expect.stringContaining('disk of this server has no room'),
  });
});

test('a video full of nonsense is refused, and nothing worse', async () => {
  const path = join(service.config.dataDir, 'nonsense');
  let seed = 1;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (const [mimeType, whole] of [
    ['video/mp4', mp4({ place: 'x' })],
    ['video/webm', webm()],
  ] as const) {
    for (let round = 0; round < 500; round++) {
      const file = Buffer.from(whole);
      for (let i = 0; i <= random(4); i++) file[random(file.length)] = random(256);
      await writeFile(path, file);
      const handle = await open(path, 'r+');
      const result = await readVideo(handle, mimeType).catch((error: unknown) => error);
      await handle.close();
      if (result instanceof Error) expect(result).toBeInstanceOf(BadFile);
    }
  }
});

describe('the library in the app', () => {
  test('says what uses a file, and finds it by name, kind and missing text', async () => {
    const own = await startService();
    const person = own.browser();
    await person.signIn();
    const upload = async (name: string, alt?: string) => {
      const form = new FormData();
      form.set('file', new Blob([new Uint8Array(photo)]), name);
      if (alt) form.set('alt', alt);
      const headers = { authorization: `Bearer ${own.token}` };
      return (await own.request('POST', '/api/media', { headers, body: form })).body.id as string;
    };
    const first = await upload('oven_1.jpg', 'A warm oven');
    const second = await upload('100%.jpg');
    const video = await own.addMedia({ kind: 'Video', mime: 'video/mp4', durationMs: 2000 });
    const { id } = await own.client.posts.create({ body: 'Twice' });
    const versions = [
      {
        content: [
          { body: 'Twice', media: [first] },
          { body: 'more', media: [first] },
        ],
      },
    ];
    await own.client.posts.update({ id, accountIds: [], versions });
    const search = async (query: string) => (await person.get(`/api/app/media?${query}`)).body;
    const idsOf = async (query: string) => (await search(query)).media.map((item: { id: string }) => item.id);

    expect((await search(`ids=${first}`)).media).toMatchObject([{ name: 'oven_1.jpg', usedIn: 1, alt: 'A warm oven' }]);
    expect((await search(`ids=${second}`)).media).toMatchObject([{ name: '100%.jpg', usedIn: 0 }]);
    expect(await idsOf('kind=Video')).toEqual([video]);
    expect(await idsOf('kind=Image&alt=Missing')).toEqual([second]);
    expect(await idsOf('query=0%25')).toEqual([second]);
    expect(await idsOf('query=WARM')).toEqual([first]);
    expect(await idsOf('query=n%25')).toEqual([]);
    expect((await person.get('/api/app/media?kind=Sound')).body.code).toBe('BadInput');

    const { email } = await own.addWorkspace();
    const stranger = own.browser();
    await stranger.signIn(email);
    expect((await stranger.get('/api/app/media')).body).toEqual({ media: [] });
    await own.stop();
  });

  test('comes 60 at a time', async () => {
    const own = await startService();
    for (let n = 0; n < 61; n++) await own.addMedia();
    const person = own.browser();
    await person.signIn();
    const { body } = await person.get('/api/app/media');
    expect(body.media).toHaveLength(60);
    const rest = await person.get(`/api/app/media?cursor=${body.nextCursor}`);
    expect(rest.body.media).toHaveLength(1);
    expect(rest.body.nextCursor).toBeUndefined();
    await own.stop();
  });
});

describe('a file without a row', () => {
  test('is swept after some hours, and nothing else', async () => {
    const item = await upload(photo);
    const receive = async () => {
      const bytes = (async function* () {
        yield photo;
      })();
      return (await service.posthorn.uploads.receive(bytes, 'file')).path;
    };
    const path = await receive();
    const orphan = 'media_01JCQ3A1B2C3D4E5F6G7H8J9K0';
    const inFolder = (name: string) => join(service.config.dataDir, 'media', name);
    for (const name of [orphan, `${orphan}.thumbnail`, 'README']) await writeFile(inFolder(name), 'x');
    expect(await service.posthorn.sweepOrphans()).toBe(0);
    // Moving the sandbox clock must not end an upload in progress.
    await service.clock.forward(4 * 3_600_000);
    await service.posthorn.sweepIncoming();
    expect(await service.posthorn.sweepOrphans()).toBe(0);
    await access(path);
    const hoursAgo = new Date(Date.now() - 4 * 3_600_000);
    await utimes(path, hoursAgo, hoursAgo);
    // As when an instance starts with a folder that no other instance uses.
    await service.posthorn.sweepIncoming();
    await expect(access(path)).rejects.toThrow();
    const next = await receive();
    for (const file of [next, inFolder(orphan), inFolder(`${orphan}.thumbnail`), inFolder('README')]) {
      await utimes(file, hoursAgo, hoursAgo);
    }
    for (const name of [item.id, `${item.id}.thumbnail`]) await utimes(inFolder(name), hoursAgo, hoursAgo);
    expect(await service.posthorn.sweepOrphans()).toBe(2);
    await expect(access(next)).rejects.toThrow();
    await access(inFolder('README'));
    expect((await bytesOf(item)).status).toBe(200);
    expect((await bytesOf(item, '?size=thumbnail')).status).toBe(200);
  });
});
