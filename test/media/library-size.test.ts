import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '#server/base/store/database';
import { lockAwaited } from '#test/support/locks';
import { type Service, startService } from '#test/support/service';

const GiB = 1024 ** 3;
const fullLibrary =
  'The media library of this workspace may have 1 GB, and this file does not fit. Delete files that no post uses, then upload it again.';

let service: Service;
let photo: Buffer;
beforeAll(async () => {
  service = await startService({ MAX_LIBRARY_GB: '1' });
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 60 };
  photo = await sharp({ create: { width: 300, height: 300, channels: 3, background: '#fff', noise } })
    .png()
    .toBuffer();
});
afterAll(() => service.stop());

const upload = (token = service.token) => {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(photo)]), 'horn.png');
  return service.request('POST', '/api/media', { headers: { authorization: `Bearer ${token}` }, body });
};
const begin = () => {
  const headers = { authorization: `Bearer ${service.token}`, 'tus-resumable': '1.0.0' };
  const length = { 'upload-length': String(photo.length) };
  return service.request('POST', '/api/media/uploads', { headers: { ...headers, ...length } });
};

test('a library takes files up to its limit, also when several come at once; unfinished uploads count', async () => {
  await service.addMedia({ bytes: GiB - Math.round(2.5 * photo.length) });
  expect((await begin()).status).toBe(201);
  expect((await begin()).status).toBe(201);
  expect(await begin()).toMatchObject({ status: 409, body: { code: 'Conflict', message: fullLibrary } });
  await service.database.run(sql('test.none', 'delete from resumable_uploads'));

  expect((await upload()).status).toBe(200);
  let answers: ReturnType<typeof upload>[] = [];
  await service.database.transaction(async () => {
    await service.database.query(sql('test.noNewFiles', 'lock table media in share mode'));
    answers = [1, 2].map(() => service.database.outside(() => upload()));
    await lockAwaited(service, 2);
  });
  const both = await Promise.all(answers);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(both.find(({ status }) => status === 409)?.body.message).toBe(fullLibrary);
  expect((await upload((await service.addWorkspace()).token)).status).toBe(200);
});
