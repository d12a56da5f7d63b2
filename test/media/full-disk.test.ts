import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createBackupList } from '#server/operation/backup/backup-list-store';
import { selfSigned } from '#test/support/certificate';
import { pretendInternet } from '#test/support/internet';
import { type Service, startService } from '#test/support/service';
import { mp4 } from '#test/support/videos';

const MiB = 1024 * 1024;
const reserve = 100 * MiB;
const plenty = 1024 * MiB;
let free = plenty;

let service: Service;
let photo: Buffer;
const address = 'https://cdn.example.com/horn.jpg';
const certificate = selfSigned({ names: ['cdn.example.com'] });
const cdn = createServer(certificate, (_req, res) => res.end(photo));
beforeAll(async () => {
  photo = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#8a4b08' } })
    .jpeg()
    .toBuffer();
  cdn.listen(0, '127.0.0.1');
  await once(cdn, 'listening');
  const { port } = cdn.address() as AddressInfo;
  const internet = pretendInternet({ names: { 'cdn.example.com': [['93.184.216.34']] }, port });
  service = await startService(
    { DISK_RESERVE_MB: '100', BACKUP_AT: '03:00' },
    { ownAddress: true, internet: { ...internet, extraCa: certificate.cert }, freeBytes: async () => free },
  );
});
afterEach(() => {
  free = plenty;
});
afterAll(async () => {
  await service.stop();
  cdn.closeAllConnections();
  cdn.close();
});

const send = async (method: string, path: string, headers: Record<string, string> = {}, body?: Buffer | FormData) => {
  const answer = await fetch(path.startsWith('http') ? path : service.url + path, {
    method,
    headers: { authorization: `Bearer ${service.token}`, 'tus-resumable': '1.0.0', ...headers },
    ...(body && { body: body instanceof FormData ? body : new Uint8Array(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
};
const formOf = (file: Buffer) => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)]), 'horn.jpg');
  return form;
};
const upload = (file = photo) => send('POST', '/api/media', {}, formOf(file));
const begin = (bytes: number) => send('POST', '/api/media/uploads', { 'upload-length': String(bytes) });
const patch = (path: string, offset: number, body: Buffer) =>
  send('PATCH', path, { 'content-type': 'application/offset+octet-stream', 'upload-offset': String(offset) }, body);
const offsetOf = async (path: string) => Number((await send('HEAD', path)).headers.get('upload-offset'));
const library = async () => (await service.client.media.list({ limit: 100 })).media;
const filesIn = async (folder: string) => readdir(join(service.config.dataDir, folder)).catch(() => []);
/** Padded with a `free` box, which players skip. */
const videoOf = (bytes: number) => {
  const head = mp4();
  const box = Buffer.alloc(bytes - head.length);
  box.writeUInt32BE(box.length, 0);
  box.write('free', 4);
  return Buffer.concat([head, box]);
};

describe('below the reserve of free space', () => {
  const doors: [
    string,
    () => Promise<{ status: number; headers: Headers; body: { code: string; message: string } }>,
  ][] = [
    ['an upload', () => upload()],
    [
      'an upload to an address for agents',
      async () => send('POST', (await service.call('media.list', {})).body.upload.url, {}, formOf(photo)),
    ],
    [
      'a file by its address',
      () =>
        send(
          'POST',
          '/api/media',
          { 'content-type': 'application/json' },
          Buffer.from(JSON.stringify({ url: address })),
        ),
    ],
    [
      'a post with the address of a file',
      () => service.call('posts.create', { versions: [{ content: [{ body: 'Look', media: [address] }] }] }),
    ],
    ['a resumable upload', () => begin(photo.length)],
  ];
  test.each(doors)(
    '%s is refused in words, nothing of it is kept, and it works when there is room',
    async (_door, add) => {
      const before = await library();
      free = reserve - 1;
      const { status, headers, body } = await add();
      expect({ status, body }).toEqual({
        status: 500,
        body: {
          code: 'Internal',
          message:
            'The disk of this server has no room for the file. Nothing of it was kept. Tell the operator, and send it again when there is room.',
          issues: [],
        },
      });
      expect(headers.get('retry-after')).toBe('300');
      expect([await library(), await filesIn('incoming')]).toEqual([before, []]);
      free = plenty;
      expect((await add()).status).toBeLessThan(300);
    },
  );

  test('everything else works', async () => {
    free = 0;
    expect((await service.call('posts.create', { body: 'No file' })).status).toBe(200);
  });
});

test('what unfinished uploads may still send counts against the free space, and they themselves go on', async () => {
  free = reserve + 8.5 * MiB;
  const file = videoOf(8 * MiB);
  const path = (await begin(file.length)).headers.get('location') ?? '';
  expect([(await begin(MiB)).status, (await upload()).status]).toEqual([500, 500]);
  expect((await patch(path, 0, file)).status).toBe(204);
  expect((await send('GET', path)).body).toMatchObject({ kind: 'Video', bytes: file.length });
  expect([(await begin(MiB)).status, (await upload()).status]).toEqual([201, 200]);
});

test('a resumable upload that meets a full disk says what is kept, and goes on from there when there is room', async () => {
  const file = videoOf(20 * MiB);
  const path = (await begin(file.length)).headers.get('location') ?? '';
  expect((await patch(path, 0, file.subarray(0, 9 * MiB))).status).toBe(204);

  free = reserve;
  const refused = await patch(path, 9 * MiB, file.subarray(9 * MiB));
  expect(refused.headers.get('retry-after')).toBe('300');
  expect(refused.body).toMatchObject({
    code: 'Internal',
    message: `The disk of this server has no room for the file. Its first ${9 * MiB} of ${20 * MiB} bytes are kept. Tell the operator, and continue from there when there is room.`,
  });
  expect(await offsetOf(path)).toBe(9 * MiB);

  // Enough for the next part, and not for the whole file, which is put together from its parts.
  free = reserve + 12 * MiB;
  expect((await patch(path, 9 * MiB, file.subarray(9 * MiB))).body.message).toBe(
    'The disk of this server has no room for the file. All its bytes are kept. Tell the operator, and ask for it again when there is room.',
  );
  expect(await offsetOf(path)).toBe(20 * MiB);

  free = plenty;
  const { id } = (await send('GET', path)).body;
  expect((await library())[0]).toMatchObject({ id, bytes: file.length });
});

test('a disk that is full under uploads, the database and backups at once: each says so, and nothing is lost', async () => {
  const { database } = service;
  const { folder } = service.config.backup;
  const older = join(folder, 'older.tar');
  await mkdir(folder, { recursive: true });
  await writeFile(older, 'older');
  const { id } = await service.client.posts.create({ body: 'Written before' });
  const file = videoOf(9 * MiB);
  const path = (await begin(file.length)).headers.get('location') ?? '';
  await patch(path, 0, file.subarray(0, MiB));
  const media = await library();

  free = 0;
  await database.script(`
    create function full_disk() returns trigger language plpgsql as $$ begin
      raise exception using errcode = '53100', message = 'could not extend file: No space left on device';
    end $$;
    create trigger full_disk before insert or update on posts execute function full_disk();`);
  service.wallClock.forward(24 * 3_600_000);
  await service.runChore('back up every night');
  const text = { id, accountId: '', itemIndex: 0, body: 'Written since' };
  const unsaved = 'The database cannot save anything: its disk is full, or it is read-only. Nothing was changed.';
  for (const { status, body } of [
    await service.call('posts.create', { body: 'Another' }),
    await service.call('posts.setVersionText', text),
  ]) {
    expect([status, body.code, body.message]).toEqual([500, 'Internal', expect.stringContaining(unsaved)]);
  }
  expect((await upload()).body.message).toContain('Nothing of it was kept.');
  expect((await patch(path, MiB, file.subarray(MiB))).body.message).toContain(`Its first ${MiB} of`);
  expect(await createBackupList(database).all()).toMatchObject([
    { state: 'Failed', problem: expect.stringContaining('Older backups are still there. Make room') },
  ]);
  expect(await readFile(older, 'utf8')).toBe('older');

  await database.script('drop function full_disk() cascade');
  free = plenty;
  expect([await library(), await offsetOf(path)]).toEqual([media, MiB]);
  expect((await service.client.posts.setVersionText(text)).versions[0]?.content[0]?.body).toBe('Written since');
  await patch(path, MiB, file.subarray(MiB));
  expect((await send('GET', path)).status).toBe(200);
});
