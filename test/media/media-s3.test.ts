import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '#server/base/config/config';
import { diagnose } from '#server/wiring/cli/doctor';
import { start } from '#server/wiring/main';
import { freshDatabase, urlOf } from '#test/support/database';
import { startS3 } from '#test/support/s3';
import { type Service, startService } from '#test/support/service';
import { mp4 } from '#test/support/videos';

let s3: Awaited<ReturnType<typeof startS3>>;
let service: Service;
beforeAll(async () => {
  s3 = await startS3();
  service = await startService(s3.settings);
});
afterAll(async () => {
  await service.stop();
  s3.stop();
});

const upload = (file: Uint8Array) => service.client.media.upload(new Uint8Array(file));
const get = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(service.url + path, { headers });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
};

describe('media in an S3 store', () => {
  test('is put there signed, read whole and in ranges, and deleted', async () => {
    const file = mp4();
    const { id } = await upload(file);
    expect(s3.objects.get(id)).toMatchObject({ type: 'video/mp4', body: file });
    expect(s3.objects.get(`${id}.thumbnail`)?.type).toBe('image/webp');
    expect(await get(`/media/${id}`)).toMatchObject({ status: 200, body: file });
    expect(await get(`/media/${id}`, { range: 'bytes=5-24' })).toMatchObject({
      status: 206,
      body: file.subarray(5, 25),
    });
    const thumbnail = await get(`/media/${id}?size=thumbnail`);
    expect(await sharp(thumbnail.body).metadata()).toMatchObject({ format: 'webp', width: 400 });
    const browser = service.browser();
    await browser.signIn();
    expect((await browser.delete(`/api/media/${id}`)).status).toBe(200);
    expect([...s3.objects.keys()].filter((key) => key.startsWith(id))).toEqual([]);
    expect((await get(`/media/${id}`)).status).toBe(404);
    expect(await readdir(join(service.config.dataDir, 'incoming'))).toEqual([]);
  });

  test('without a row is swept, page after page', async () => {
    const { id } = await upload(mp4());
    for (let i = 1; i <= 5; i++) {
      s3.objects.set(`media_01JCQ3A1B2C3D4E5F6G7H8J9K${i}`, { body: Buffer.of(1), type: '', changedAt: new Date(0) });
    }
    await service.clock.forward(4 * 3_600_000);
    expect(await service.posthorn.sweepOrphans()).toBe(5);
    expect([...s3.objects.keys()].sort()).toEqual([id, `${id}.thumbnail`]);
  });

  test('that cannot be reached is a fault of the server, and leaves nothing behind', async () => {
    const own = await startService({ ...s3.settings, S3_ACCESS_KEY_ID: 'wrong' });
    const form = new FormData();
    form.set('file', new Blob([mp4() as BlobPart]));
    const headers = { authorization: `Bearer ${own.token}` };
    expect(await own.request('POST', '/api/media', { headers, body: form })).toMatchObject({
      status: 500,
      body: {
        code: 'Internal',
        message: expect.stringMatching(/^The store for media refused the file.*posthorn doctor/),
      },
    });
    expect(await readdir(join(own.config.dataDir, 'incoming'))).toEqual([]);
    expect((await own.client.media.list()).media).toEqual([]);
    await own.stop();
  });
});

describe('a store that cannot be used', () => {
  test.each([
    ['a refused key', { S3_ACCESS_KEY_ID: 'wrong' }, /answered 403 AccessDenied to GET\. Check S3_ENDPOINT/],
    [
      'a bucket that is not there',
      { S3_BUCKET: 'gone' },
      /the bucket gone at \S+ answered 404 NoSuchBucket to GET\. Check/,
    ],
    ['nobody at the address', { S3_ENDPOINT: 'http://127.0.0.1:1' }, /ECONNREFUSED.*Check S3_ENDPOINT/],
  ])('%s: doctor and start say so', async (_what, settings, words) => {
    const { parts, drop } = await freshDatabase();
    const config = readConfig({
      ...s3.settings,
      ...settings,
      DATABASE_URL: urlOf(parts),
      POSTHORN_DATA: service.config.dataDir,
      PORT: '0',
      START_PATIENCE: '0s',
      LOG_LEVEL: 'silent',
    });
    const { text, healthy } = await diagnose(config);
    expect(text).toMatch(new RegExp(`FAILURE +The store for media cannot be used: .*${words.source}`));
    expect(healthy).toBe(false);
    await expect(start(config)).rejects.toThrow(words);
    await drop();
  });

  test('leaves nothing in one that can be', async () => {
    const before = [...s3.objects.keys()];
    await service.posthorn.mediaFiles.check();
    expect([...s3.objects.keys()]).toEqual(before);
  });
});

test('half of the settings of a store keep the service from starting', () => {
  expect(() => readConfig({ S3_ENDPOINT: 'https://s3.example.com' })).toThrow('set all of S3_ENDPOINT, S3_BUCKET');
});
