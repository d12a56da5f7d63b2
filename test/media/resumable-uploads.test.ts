import { once } from 'node:events';
import { access, readdir, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Posthorn } from '#packages/sdk/src/index';
import { bounds } from '#server/base/bounds';
import { openDatabase, sql } from '#server/base/store/database';
import { createHttpServer } from '#server/doors/http/server';
import { lockAwaited } from '#test/support/locks';
import { openPosthorn } from '#test/support/posthorn';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';
import { mp4 } from '#test/support/videos';

const hourMs = 3_600_000;
const MiB = 1024 * 1024;

let service: Service;
let photo: Buffer;
beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  photo = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#fff', noise } })
    .png()
    .toBuffer();
});
afterAll(() => service.stop());

interface Sent {
  method: string;
  path: string;
  token?: string;
  headers?: Record<string, string>;
  body?: Buffer;
  url?: string;
}
const send = async ({ method, path, token = service.token, headers = {}, body, url = service.url }: Sent) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'tus-resumable': '1.0.0', ...headers },
    ...(body && { body: new Uint8Array(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
};
const base64 = (text: string) => Buffer.from(text).toString('base64');
const begin = (bytes: number, headers: Record<string, string> = {}) =>
  send({ method: 'POST', path: '/api/media/uploads', headers: { 'upload-length': String(bytes), ...headers } });
const beginAt = async (bytes: number, headers?: Record<string, string>) => {
  const { status, headers: answer } = await begin(bytes, headers);
  expect(status).toBe(201);
  return answer.get('location') ?? '';
};
const patch = (path: string, offset: number, body: Buffer, token?: string) =>
  send({
    method: 'PATCH',
    path,
    body,
    ...(token !== undefined && { token }),
    headers: { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) },
  });
const offsetOf = async (path: string) => Number((await send({ method: 'HEAD', path })).headers.get('upload-offset'));
const partsLeft = async () =>
  (await readdir(join(service.config.dataDir, 'media')).catch(() => [])).filter((name) => name.startsWith('upl_'));
/** Padded with a `free` box, which players skip. */
const largeVideo = (bytes: number) => {
  const box = Buffer.alloc(bytes);
  box.writeUInt32BE(bytes, 0);
  box.write('free', 4);
  return Buffer.concat([mp4(), box]);
};

test('a file that arrives in several requests is one item, with its name, alternative text and bytes', async () => {
  const metadata = `filename ${base64('hörn.png')},alt ${base64('A horn')},filetype ${base64('image/png')}`;
  const path = await beginAt(photo.length, { 'upload-metadata': metadata });
  const steps = [0, 1000, 50_000, photo.length];
  for (const [index, from] of steps.slice(0, -1).entries()) {
    expect(await offsetOf(path)).toBe(from);
    expect((await send({ method: 'GET', path })).body).toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining(`continues at byte ${from}`),
    });
    const { status, headers } = await patch(path, from, photo.subarray(from, steps[index + 1]));
    expect([status, headers.get('upload-offset')]).toEqual([204, String(steps[index + 1])]);
  }
  const { status, body } = await send({ method: 'GET', path });
  expect({ status, body }).toMatchObject({ status: 200, body: { mimeType: 'image/png', width: 300, alt: 'A horn' } });
  expect((await service.call('media.list', { ids: [body.id] })).body.media[0].name).toBe('hörn.png');
  expect(await partsLeft()).toEqual([]);
  expect((await send({ method: 'GET', path })).body.id).toBe(body.id);
});

test('bytes that do not continue where the upload stands are refused, also when two requests come together', async () => {
  const path = await beginAt(photo.length);
  expect((await patch(path, 5, photo.subarray(5))).status).toBe(409);
  const both = await Promise.all([patch(path, 0, photo.subarray(0, 2000)), patch(path, 0, photo.subarray(0, 3000))]);
  expect(both.map(({ status }) => status).sort()).toEqual([204, 409]);
  const offset = await offsetOf(path);
  expect([2000, 3000]).toContain(offset);
  expect((await patch(path, offset, photo.subarray(offset))).status).toBe(204);
  expect((await send({ method: 'GET', path })).body.width).toBe(300);
});

test('what arrived before the connection broke is kept', async () => {
  const path = await beginAt(photo.length);
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  const head = [
    `PATCH ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${service.token}`,
    'Tus-Resumable: 1.0.0',
    'Upload-Offset: 0',
    'Content-Type: application/offset+octet-stream',
    `Content-Length: ${photo.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  socket.write(photo.subarray(0, 4000));
  const incoming = join(service.config.dataDir, 'incoming');
  await until('the bytes arrived', async () => {
    const files = await Promise.all((await readdir(incoming)).map((name) => stat(join(incoming, name))));
    return files.some(({ size }) => size === 4000);
  });
  socket.destroy();
  await until('the bytes count', async () => (await offsetOf(path)) === 4000);
  expect((await patch(path, 4000, photo.subarray(4000))).status).toBe(204);
});

test('two processes that finish one upload at once add one file', async () => {
  const { database } = service;
  const elsewhere = openDatabase(service.parts, { report: () => undefined });
  const posthorn = openPosthorn({ ...service, database: elsewhere });
  const identity = await posthorn.openIdentity();
  const server = createHttpServer(posthorn.openDoors(identity).app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await identity.stop?.();
    await elsewhere.close();
  });
  const path = await beginAt(photo.length, { 'upload-metadata': `filename ${base64('twice.png')}` });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let answers: ReturnType<typeof send>[] = [];
  await database.transaction(async () => {
    await database.query(sql('test.noNewFiles', 'lock table media in share mode'));
    const first = database.outside(() => patch(path, 0, photo));
    await lockAwaited(service, 1);
    answers = [first, database.outside(() => send({ method: 'GET', path, url }))];
    await lockAwaited(service, 2);
  });
  const [patched, found] = await Promise.all(answers);
  expect([patched?.status, found?.status]).toEqual([204, 200]);
  expect((await send({ method: 'GET', path })).body.id).toBe(found?.body.id);
  const { media } = (await service.call('media.list', {})).body;
  expect(media.filter(({ name }: { name: string }) => name === 'twice.png')).toHaveLength(1);
  expect(await partsLeft()).toEqual([]);
});

/** As if nothing had arrived for this long. */
const age = async (hours: number) => {
  const older = sql('test.age', `update resumable_uploads set expires_at = expires_at - $1 * interval '1 hour'`);
  await service.database.run(older, [hours]);
};

test('one that is abandoned is removed after a day, with its bytes', async () => {
  const path = await beginAt(photo.length);
  await patch(path, 0, photo.subarray(0, 3000));
  expect(await partsLeft()).not.toEqual([]);
  await age(23);
  await service.runChore('remove abandoned uploads');
  expect(await offsetOf(path)).toBe(3000);
  await age(2);
  expect((await send({ method: 'GET', path })).status).toBe(404);
  await service.runChore('remove abandoned uploads');
  await age(-25);
  expect((await send({ method: 'HEAD', path })).status).toBe(404);
  expect(await partsLeft()).toEqual([]);
});

test('a process whose clock is a day ahead ends no upload, and removes no file that is arriving', async () => {
  const path = await beginAt(photo.length);
  await patch(path, 0, photo.subarray(0, 3000));
  const arriving = join(service.config.dataDir, 'incoming', 'arriving');
  await writeFile(arriving, 'x');
  const orphan = join(service.config.dataDir, 'media', 'media_01JCQ3A1B2C3D4E5F6G7H8J9K0');
  await writeFile(orphan, 'its row is about to be written');
  service.wallClock.forward(25 * hourMs);
  for (const chore of ['remove abandoned uploads', 'remove files without a media item']) await service.runChore(chore);
  expect(await offsetOf(path)).toBe(3000);
  service.wallClock.forward(-25 * hourMs);
  await Promise.all([access(arriving), access(orphan)]);
  expect((await patch(path, 3000, photo.subarray(3000))).status).toBe(204);
});

test('uploads that begin at once end at the bound exactly', async () => {
  const { token } = await service.addWorkspace();
  const create = { method: 'POST', path: '/api/media/uploads', headers: { 'upload-length': '9' }, token };
  const answers = await Promise.all(Array.from({ length: bounds.openUploads + 40 }, () => send(create)));
  const begun = answers.filter(({ status }) => status === 201);
  expect(begun).toHaveLength(bounds.openUploads);
  expect(answers.find(({ status }) => status !== 201)).toMatchObject({ status: 409, body: { code: 'Conflict' } });
  await send({ method: 'DELETE', path: begun[0]?.headers.get('location') ?? '', token });
  expect((await send(create)).status).toBe(201);
});

test('a file of a wrong type or size is refused at its first bytes, and again to who asks again', async () => {
  const path = await beginAt(100_000);
  const refusal = { status: 400, body: { code: 'BadInput', issues: [{ path: 'file', code: 'MediaType' }] } };
  expect(await patch(path, 0, Buffer.alloc(1000, 'text '))).toMatchObject(refusal);
  expect(await send({ method: 'GET', path })).toMatchObject(refusal);
  const { imageBytes, videoBytes } = service.config.media;
  const large = await beginAt(imageBytes + 1);
  expect(await patch(large, 0, photo.subarray(0, 1000))).toMatchObject({
    status: 400,
    body: { issues: [{ code: 'TooBig', limit: imageBytes }] },
  });
  expect((await begin(videoBytes + 1)).body.issues).toMatchObject([{ path: 'Upload-Length', code: 'TooBig' }]);
  const short = await beginAt(2000);
  expect((await patch(short, 0, photo.subarray(0, 2001))).body.issues).toMatchObject([
    { path: 'body', code: 'TooBig' },
  ]);
});

test('a file that turns out to be broken is refused like any upload', async () => {
  const broken = Buffer.concat([photo.subarray(0, 200), Buffer.alloc(1000)]);
  const path = await beginAt(broken.length);
  const refusal = { status: 400, body: { issues: [{ path: 'file', code: 'Unreadable' }] } };
  expect(await patch(path, 0, broken)).toMatchObject(refusal);
  expect(await send({ method: 'GET', path })).toMatchObject(refusal);
  expect(await partsLeft()).toEqual([]);
});

test('only the person who began it continues it, with a role that may add files', async () => {
  const path = await beginAt(photo.length);
  const [viewer, editor, other] = await Promise.all([
    service.addMember('viewer'),
    service.addMember('editor'),
    service.addWorkspace(),
  ]);
  const statusFor = async (token: string) => (await patch(path, 0, photo, token)).status;
  expect(await statusFor('posthorn_pat_wrong')).toBe(401);
  expect(await statusFor(viewer.token)).toBe(403);
  expect(await statusFor(editor.token)).toBe(404);
  expect(await statusFor(other.token)).toBe(404);
  const create = { method: 'POST', path: '/api/media/uploads', headers: { 'upload-length': '9' } };
  expect((await send({ ...create, token: viewer.token })).status).toBe(403);
  expect((await send({ method: 'DELETE', path })).status).toBe(204);
  expect(await statusFor(service.token)).toBe(404);
});

test('the same Idempotency-Key is the same upload, and a Conflict for another file', async () => {
  const headers = { 'idempotency-key': 'horn-1', 'upload-metadata': `filename ${base64('horn.png')}` };
  const path = await beginAt(photo.length, headers);
  await patch(path, 0, photo.subarray(0, 3000));
  const again = await begin(photo.length, headers);
  expect([again.headers.get('location'), again.headers.get('upload-offset')]).toEqual([path, '3000']);
  expect((await begin(photo.length + 1, headers)).status).toBe(409);
  const renamed = { ...headers, 'upload-metadata': `filename ${base64('another.png')}` };
  expect((await begin(photo.length, renamed)).status).toBe(409);
});

test('a file that comes in too many pieces is refused, and keeps what it has', async () => {
  const path = await beginAt(photo.length);
  await patch(path, 0, photo.subarray(0, 3000));
  const pieces = sql(
    'test.pieces',
    'update resumable_uploads set parts = parts || array_fill($1::text, array[$2::int]) where id = $3',
  );
  await service.database.run(pieces, ['upl_none', bounds.uploadParts - 1, path.split('/').at(-1)]);
  const { status, body } = await patch(path, 3000, photo.subarray(3000));
  expect([status, body]).toMatchObject([400, { issues: [{ path: 'body', code: 'TooBig' }] }]);
  expect(await offsetOf(path)).toBe(3000);
});

test('the Idempotency-Key of an upload that has expired begins a new one', async () => {
  const headers = { 'idempotency-key': 'horn-2' };
  const path = await beginAt(photo.length, headers);
  await patch(path, 0, photo.subarray(0, 3000));
  await age(25);
  const again = await begin(photo.length, headers);
  expect([again.status, again.headers.get('upload-offset')]).toEqual([201, '0']);
  expect(again.headers.get('location')).not.toBe(path);
  expect((await patch(again.headers.get('location') ?? '', 0, photo)).status).toBe(204);
});

test('headers that are not of the protocol are refused in the shape of this API', async () => {
  const old = await send({ method: 'POST', path: '/api/media/uploads', headers: { 'tus-resumable': '0.2.2' } });
  expect([old.status, old.headers.get('tus-version'), old.body.code]).toEqual([412, '1.0.0', 'BadInput']);
  expect((await begin(0)).body.issues).toMatchObject([{ path: 'Upload-Length', code: 'Empty' }]);
  expect((await begin(1, { 'upload-length': '1e3' })).body.issues).toMatchObject([{ path: 'Upload-Length' }]);
  for (const metadata of [
    'alt /w==',
    'alt horn!',
    'alt a',
    'alt aG9ybg== more',
    'alt aG9ybg==,',
    'alt aG9ybg==,alt eA==',
  ])
    expect(await begin(9, { 'upload-metadata': metadata })).toMatchObject({
      status: 400,
      body: { code: 'BadInput', issues: [{ path: 'Upload-Metadata' }] },
    });
  expect((await begin(9, { 'upload-metadata': 'is_private, alt aG9ybg' })).status).toBe(201);
  const path = await beginAt(9);
  const plain = { method: 'PATCH', path, body: photo, headers: { 'content-type': 'image/png', 'upload-offset': '0' } };
  expect((await send(plain)).body.issues).toMatchObject([{ path: 'Content-Type' }]);
});

test('OPTIONS says what the server takes, without a token and without a version', async () => {
  const { status, headers } = await fetch(`${service.url}/api/media/uploads`, { method: 'OPTIONS' });
  const said = ['tus-version', 'tus-extension', 'tus-max-size'].map((name) => headers.get(name));
  const { videoBytes } = service.config.media;
  expect([status, ...said]).toEqual([204, '1.0.0', 'creation,termination,expiration', String(videoBytes)]);
});

/** A proxy that cuts one connection after each of these byte counts, in order. */
const breakingLine = async (breaks: number[]) => {
  const { hostname, port } = new URL(service.url);
  const sockets = new Set<Socket>();
  const line = createServer((client) => {
    const server = connect(Number(port), hostname);
    let bytes = 0;
    for (const socket of [client, server]) sockets.add(socket.on('error', () => undefined));
    client.on('data', (chunk) => {
      bytes += chunk.length;
      if (breaks[0] === undefined || bytes < breaks[0]) return void server.write(chunk);
      breaks.shift();
      client.destroy();
      server.destroy();
    });
    server.pipe(client);
    client.on('close', () => server.destroy());
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  onTestFinished(() => {
    line.close();
    for (const socket of sockets) socket.destroy();
  });
  return `http://127.0.0.1:${(line.address() as AddressInfo).port}`;
};

test('the SDK continues a large file after its connection broke twice, and reports progress', async () => {
  const video = largeVideo(20 * MiB);
  const breaks = [9 * MiB, 6 * MiB];
  const baseUrl = await breakingLine(breaks);
  const requests: string[] = [];
  const posthorn = new Posthorn({
    baseUrl,
    token: service.token,
    sleep: async () => undefined,
    onRequest: ({ method, headers }) => requests.push(`${method} ${headers['upload-offset'] ?? ''}`.trim()),
  });
  let last = { sent: 0, total: 0 };
  const item = await posthorn.media.upload(new Blob([new Uint8Array(video)]), {
    alt: 'A film',
    onProgress: (progress) => {
      last = progress;
    },
  });
  expect(item).toMatchObject({ kind: 'Video', bytes: video.length, alt: 'A film' });
  expect(last).toEqual({ sent: video.length, total: video.length });
  expect(breaks).toEqual([]);
  const patches = requests.filter((one) => one.startsWith('PATCH'));
  expect(patches[0]).toBe('PATCH 0');
  expect(patches.at(-1)).not.toBe('PATCH 0');
});

test('an upload through the SDK ends when nothing moves, however long the whole takes', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const baseUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const posthorn = new Posthorn({ baseUrl, token: 'x', timeoutMs: 200, maxRetries: 0 });
  await expect(posthorn.media.upload(new Blob(['horn']))).rejects.toThrow(/within 200 ms/);
});
