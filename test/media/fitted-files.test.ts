import { createHash } from 'node:crypto';
import { readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ApprovalCard } from '#contracts/approvals';
import type { EditorView } from '#contracts/posts';
import { sql } from '#server/base/store/database';
import { type FitTarget, fitImage, recipe } from '#server/media/fit-image';
import { createFittedFileStore } from '#server/media/fitted-file-store';
import { modern, speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
let bluesky: string;
let instagram: string;
beforeAll(async () => {
  service = await startService();
  service.startJobs();
  owner = service.browser();
  await owner.signIn();
  bluesky = await service.connect('bluesky');
  instagram = await service.connect('instagram');
});
afterAll(() => service.stop());

/** Random noise, which does not compress. */
const noise = (width: number, height: number) =>
  sharp({
    create: { width, height, channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 }, background: '#000' },
  });
const plain = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#8a4b08' } });
const animated = () => {
  const frames = [0, 255].map((value) => Buffer.alloc(40 * 90 * 3, value));
  return sharp(Buffer.concat(frames), { raw: { width: 40, height: 180, channels: 3, pageHeight: 90 } });
};

const upload = async (picture: Sharp, alt = 'A horn') =>
  (await service.client.media.upload(new Uint8Array(await picture.toBuffer()), { alt })).id;
const tooLarge = () => upload(noise(1000, 800).png({ compressionLevel: 1 }));

const write = async (account: string, media: string[], options: Record<string, string> = {}) => {
  const { id } = await service.client.posts.create({ accountIds: [account] });
  await service.client.posts.update({
    id,
    accountIds: [account],
    versions: [{ content: [{ body: 'Look', media }], options }],
  });
  return id;
};
const validate = async (id: string) => (await service.call('posts.validate', { id })).body;
const view = async (id: string): Promise<EditorView> => (await owner.get(`/api/app/posts/${id}/editor`)).body;
const fittedFor = async (id: string, media: string) => {
  const item = (await view(id)).accounts[0]?.fitted[media];
  if (item === undefined) throw new Error('not fitted');
  return item;
};
const ask = async (id: string) => {
  const { result } = (await speak(service.url, service.token, modern).call('posts_publishNow', { id })).body;
  return `/api/approvals/${result.structuredContent.approvalUrl.split('/').at(-1)}`;
};
const inAnHour = () => new Date(service.clock.now().getTime() + 3_600_000).toISOString();
const ended = async (id: string) => {
  await until('it has ended', async () =>
    ['Published', 'Failed'].includes((await service.client.posts.get({ id })).status),
  );
  return service.client.posts.get({ id });
};

const bytesOf = async (id: string) => Buffer.from(await (await fetch(`${service.url}/media/${id}`)).arrayBuffer());
/** The content id that Bluesky computes from the bytes it received. */
const cidOf = (bytes: Buffer) => {
  const hash = Buffer.concat([Buffer.from([1, 0x55, 0x12, 0x20]), createHash('sha256').update(bytes).digest()]);
  const bits = Array.from(hash, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = bits.match(/.{1,5}/g) ?? [];
  return `b${letters.map((five) => 'abcdefghijklmnopqrstuvwxyz234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('')}`;
};
const gotBy = async (network: string, id: string) => {
  const [result] = (await ended(id)).results;
  return (await service.feed(network)).find((post) => post.id === result?.externalId)?.media;
};
/** Changes the size limit of Bluesky from now on. */
const limitTo = (maxBytes: number) => {
  const network = service.posthorn.networks.get('bluesky');
  const { media } = network.constraints;
  const images = { max: 4, mimeTypes: ['image/jpeg'], ...media.images, maxBytes };
  vi.spyOn(network, 'constraintsFor').mockReturnValue({ ...network.constraints, media: { ...media, images } });
};
afterEach(() => vi.restoreAllMocks());
const mediaFolder = () => join(service.config.dataDir, 'media');

describe('the option', () => {
  test('is there for every network that takes pictures or videos, and has no default', async () => {
    const { providers } = await service.client.providers.limits({});
    for (const { network, constraints, options } of providers) {
      const fit = options.find(({ key }) => key === `${network}.fit`);
      const { images = constraints.media.videos } = constraints.media;
      expect([network, fit !== undefined]).toEqual([network, images !== undefined]);
      expect(fit?.default).toBeUndefined();
    }
    const id = await write(bluesky, []);
    const wrong = await service.call('posts.setOption', { id, key: 'bluesky.fit', value: 'stretch' });
    expect(wrong.body).toMatchObject({ code: 'BadInput', issues: [{ path: 'value' }] });
  });

  test('unset: a broken limit stays Invalid, and its issue names the option and the values that mend it', async () => {
    const heavy = await validate(await write(bluesky, [await tooLarge()]));
    expect(heavy.code).toBe('Invalid');
    expect(heavy.issues).toMatchObject([{ code: 'MediaTooLarge', fix: { key: 'bluesky.fit', values: ['shrink'] } }]);
    expect(heavy.issues[0].message).toBe('Use a smaller file, or set bluesky.fit to shrink.');

    const tall = await upload(plain(600, 1200).png());
    for (const options of [{}, { 'instagram.fit': 'shrink' }]) {
      const { code, issues } = await validate(await write(instagram, [tall], options as Record<string, string>));
      expect(code).toBe('Invalid');
      const fix = { key: 'instagram.fit', values: ['pad', 'crop'] };
      expect(issues).toMatchObject([
        { code: 'MediaType', fix },
        { code: 'MediaRatio', fix },
      ]);
    }
  });

  test('set: a picture within the limits goes out untouched', async () => {
    const media = await upload(plain(800, 600).jpeg());
    const id = await write(bluesky, [media], { 'bluesky.fit': 'crop' });
    expect(await validate(id)).toMatchObject({ valid: true, warnings: [] });
    expect((await view(id)).accounts[0]?.fitted).toEqual({});
    await service.asHuman('posts.publishNow', { id });
    expect(await gotBy('bluesky', id)).toEqual([cidOf(await bytesOf(media))]);
  });
});

describe('a fitted picture', () => {
  test('is shown on the card, pinned by it, and goes out byte for byte with its alternative text', async () => {
    const media = await tooLarge();
    const id = await write(bluesky, [media], { 'bluesky.fit': 'shrink' });
    const { valid, warnings } = await validate(id);
    expect(valid).toBe(true);
    expect(warnings).toMatchObject([{ code: 'MediaFitted', accountId: bluesky, path: 'versions.0.content.0.media.0' }]);
    expect(warnings[0].message).toBe('Picture 1 goes to Bluesky converted: JPEG, 1000 × 800 pixels.');

    const card = await ask(id);
    const asked: ApprovalCard = (await owner.get(card)).body;
    const [fitted] = asked.fitted;
    expect(fitted).toMatchObject({
      accountId: bluesky,
      mediaId: media,
      media: { mimeType: 'image/jpeg', alt: 'A horn' },
    });
    expect(asked.validation).toMatchObject({ issues: [], warnings: [{ code: 'MediaFitted' }] });
    expect(fitted?.media).toEqual(await fittedFor(id, media));
    const bytes = await bytesOf(fitted?.media.id ?? '');
    expect(bytes.length).toBe(fitted?.media.bytes);
    expect(bytes.length).toBeLessThanOrEqual(2_000_000);

    expect((await owner.post(`${card}/approve`)).body.status).toBe('Approved');
    expect(await gotBy('bluesky', id)).toEqual([cidOf(bytes)]);
    const [post] = (await service.feed('bluesky')).filter(({ text }) => text === 'Look');
    expect(JSON.stringify(post?.data)).toContain('A horn');
  });

  test('another way of fitting makes the request outdated', async () => {
    const media = await upload(plain(600, 1200).jpeg());
    const id = await write(instagram, [media], { 'instagram.fit': 'crop' });
    const card = await ask(id);
    expect((await owner.get(card)).body.fitted).toMatchObject([{ media: { width: 600, height: 800 } }]);
    await service.client.posts.setOption({ id, key: 'instagram.fit', value: 'pad' });
    expect((await owner.post(`${card}/approve`)).body.code).toBe('Conflict');
  });

  test.each([
    ['crop', 600, 800, 'Picture 1 goes to Instagram cropped to 3:4: JPEG, 600 × 800 pixels.'],
    ['pad', 900, 1200, 'Picture 1 goes to Instagram with white borders, at 3:4: JPEG, 900 × 1200 pixels.'],
  ])(
    '%s brings it to the nearest shape that the network takes, and the network takes it',
    async (mode, width, height, told) => {
      const media = await upload(plain(600, 1200).png());
      const id = await write(instagram, [media], { 'instagram.fit': mode });
      expect((await validate(id)).warnings.map(({ message }: { message: string }) => message)).toContain(told);
      const { id: fitted, ...item } = await fittedFor(id, media);
      expect(item).toMatchObject({ mimeType: 'image/jpeg', width, height, alt: 'A horn' });
      await service.asHuman('posts.publishNow', { id });
      expect((await gotBy('instagram', id))?.[0]).toContain(`/media/${fitted}`);
      const corner = await sharp(await bytesOf(fitted))
        .extract({ left: 0, top: 0, width: 1, height: 1 })
        .raw()
        .toBuffer();
      expect(corner[2]).toBe(mode === 'pad' ? 255 : 8);
    },
  );

  test('is made once, however many ask at the same time', async () => {
    const media = await tooLarge();
    const ids = await Promise.all([1, 2, 3].map(() => write(bluesky, [media], { 'bluesky.fit': 'shrink' })));
    const items = await Promise.all(ids.map((id) => fittedFor(id, media)));
    expect(new Set(items.map(({ id }) => id)).size).toBe(1);
  });

  test('is what a reviewer without an account sees', async () => {
    const media = await upload(plain(600, 1200).jpeg());
    const id = await write(instagram, [media], { 'instagram.fit': 'crop' });
    const { width, id: fitted } = await fittedFor(id, media);
    expect(width).toBe(600);
    const { body } = await owner.post(`/api/app/posts/${id}/shares`, { days: 1 });
    const secret = body.url.split('/').at(-1);
    const shared = (await owner.post('/api/review', { secret })).body;
    const [{ key }] = shared.accounts[0].items[0].media;
    const file = await fetch(`${service.url}/review/${secret}/media/${key}`);
    expect(Buffer.from(await file.arrayBuffer()).equals(await bytesOf(fitted))).toBe(true);
  });

  test('an animated picture that is no GIF is never changed, and the issue says so', async () => {
    const id = await write(instagram, [await upload(animated().webp())], { 'instagram.fit': 'crop' });
    const { code, issues } = await validate(id);
    expect(code).toBe('Invalid');
    expect(issues[0].message).toContain('instagram.fit leaves animated pictures as they are.');
  });
});

describe('between the decision and the send', () => {
  const scheduled = async (options: Record<string, string> = { 'bluesky.fit': 'shrink' }) => {
    const media = await upload(noise(500, 400).jpeg({ quality: 100 }));
    const id = await write(bluesky, [media], options);
    expect((await owner.post('/api/app/actions/posts.schedule', { id, at: inAnHour() })).body.status).toBe('Scheduled');
    return { id, media };
  };
  const kept = async (id: string) =>
    (
      await service.database.query(
        sql('test.kept', 'select rendition_id from post_renditions where post_id = $1').holds<{
          renditionId: string;
        }>(),
        [id],
      )
    ).map((row) => row.renditionId);
  const sentFiles = async () => (await service.feed('bluesky')).length;

  test('limits that become wider change nothing: what was shown is sent', async () => {
    limitTo(100_000);
    const { id, media } = await scheduled();
    const shown = await fittedFor(id, media);
    limitTo(16_000_000);
    expect(await fittedFor(id, media)).toEqual(shown);
    expect(await kept(id)).toEqual([shown.id]);
    await service.clock.forward(3_700_000);
    expect((await ended(id)).status).toBe('Published');
    expect(await gotBy('bluesky', id)).toEqual([cidOf(await bytesOf(shown.id))]);
  });

  test('limits that become narrower: nothing is sent, and publishing again fits it anew', async () => {
    limitTo(100_000);
    const { id, media } = await scheduled();
    const shown = await fittedFor(id, media);
    limitTo(20_000);
    const before = await sentFiles();
    await service.clock.forward(3_700_000);
    expect((await ended(id)).results).toMatchObject([{ ok: false, error: { code: 'invalid' } }]);
    expect(await sentFiles()).toBe(before);
    await service.asHuman('posts.publishNow', { id });
    expect((await ended(id)).status).toBe('Published');
    expect(await kept(id)).not.toEqual([shown.id]);
  });

  test('a change by a person fits it anew', async () => {
    const tall = await upload(plain(600, 1200).jpeg());
    const id = await write(instagram, [tall], { 'instagram.fit': 'crop' });
    await service.asHuman('posts.schedule', { id, at: inAnHour() });
    await service.asHuman('posts.setOption', { id, key: 'instagram.fit', value: 'pad' });
    expect(await fittedFor(id, tall)).toMatchObject({ width: 900, height: 1200 });
    const refused = service.asHuman('posts.setOption', { id, key: 'instagram.fit', value: '' });
    await expect(refused).rejects.toMatchObject({ code: 'Invalid' });
    expect(await kept(id)).toEqual([(await fittedFor(id, tall)).id]);
    await service.asHuman('posts.delete', { id });
  });

  test('also where an Idempotency-Key puts a transaction around the change', async () => {
    const tall = await upload(plain(610, 1200).jpeg());
    const id = await write(instagram, [tall], { 'instagram.fit': 'crop' });
    const { updatedAt } = await service.asHuman('posts.schedule', { id, at: inAnHour() });
    const versions = [{ content: [{ body: 'Look', media: [tall] }], options: { 'instagram.fit': 'pad' } }];
    const input = { id, accountIds: [instagram], versions, baseUpdatedAt: updatedAt };
    const changed = await owner.post('/api/app/actions/posts.update', input, { 'idempotency-key': 'fit-it-anew' });
    expect(changed).toMatchObject({ status: 200, body: { status: 'Scheduled' } });
    expect(await fittedFor(id, tall)).toMatchObject({ width: 900, height: 1200 });
    await service.asHuman('posts.delete', { id });
  });

  test('an agent asks for another fit: the card shows it; approved, it is bound, also when it had been swept', async () => {
    const tall = await upload(plain(600, 1200).jpeg());
    const id = await write(instagram, [tall], { 'instagram.fit': 'crop' });
    await service.asHuman('posts.schedule', { id, at: inAnHour() });
    const [shown] = await kept(id);
    const change = { id, key: 'instagram.fit', value: 'pad' };
    const { result } = (await speak(service.url, service.token, modern).call('posts_setOption', change)).body;
    const card = `/api/approvals/${result.structuredContent.approvalUrl.split('/').at(-1)}`;
    expect((await owner.get(card)).body.fitted).toMatchObject([{ media: { width: 900, height: 1200 } }]);
    expect(await kept(id)).toEqual([shown]);
    const swept = sql('test.swept', 'delete from renditions where media_id = $1 and id <> $2');
    await service.database.run(swept, [tall, shown]);
    expect((await owner.post(`${card}/approve`)).body.status).toBe('Approved');
    expect(await fittedFor(id, tall)).toMatchObject({ width: 900, height: 1200 });
    await service.asHuman('posts.delete', { id });
  });

  test('a card is for the bytes that it shows: other limits, and so another picture, make it outdated', async () => {
    limitTo(100_000);
    const media = await upload(noise(500, 400).jpeg({ quality: 100 }));
    const id = await write(bluesky, [media], { 'bluesky.fit': 'shrink' });
    const card = await ask(id);
    expect((await owner.get(card)).body).toMatchObject({ status: 'Open', fitted: [{ mediaId: media }] });
    limitTo(50_000);
    expect((await owner.post(`${card}/approve`)).body.code).toBe('Conflict');
  });

  test('a file that is gone is made again, the same to the last byte', async () => {
    limitTo(100_000);
    const { id, media } = await scheduled();
    const shown = await fittedFor(id, media);
    const before = await bytesOf(shown.id);
    await rm(join(mediaFolder(), shown.id));
    await service.clock.forward(3_700_000);
    expect((await ended(id)).status).toBe('Published');
    expect((await bytesOf(shown.id)).equals(before)).toBe(true);
  });

  test('other bytes than those that were shown are never sent: the post fails, and publishing again shows new ones', async () => {
    limitTo(100_000);
    const { id, media } = await scheduled();
    const shown = await fittedFor(id, media);
    // Replace both the converted file and its source.
    await writeFile(join(mediaFolder(), shown.id), await bytesOf(await service.addFile()));
    await writeFile(join(mediaFolder(), media), await noise(500, 400).jpeg({ quality: 100 }).toBuffer());
    const before = await sentFiles();
    await service.clock.forward(3_700_000);
    const [result] = (await ended(id)).results;
    expect(result?.error).toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('exactly as it was shown'),
    });
    expect(await sentFiles()).toBe(before);
    expect((await fittedFor(id, media)).id).not.toBe(shown.id);
    await service.asHuman('posts.publishNow', { id });
    expect((await ended(id)).status).toBe('Published');
  });
});

describe('the store', () => {
  const files = async () => new Set(await readdir(mediaFolder()));
  const forget = (id: string) => service.database.run(sql('test.forget', 'delete from renditions where id = $1'), [id]);

  test('keeps what was made for a post that is scheduled as it is written, also when that is refused', async () => {
    const media = await tooLarge();
    const versions = [
      { content: [{ body: 'Long '.repeat(100), media: [media] }], options: { 'bluesky.fit': 'shrink' } },
    ];
    const create = (content: object) =>
      service.asHuman('posts.create', { accountIds: [bluesky], scheduledAt: inAnHour(), ...content });
    await expect(create({ versions })).rejects.toMatchObject({ code: 'Invalid', issues: [{ code: 'TooLong' }] });
    const made = sql('test.made', 'select from renditions where media_id = $1');
    expect(await service.database.query(made, [media])).toHaveLength(1);
    const short = versions.map((version) => ({ ...version, content: [{ body: 'Short', media: [media] }] }));
    expect(await create({ versions: short })).toMatchObject({ status: 'Scheduled' });
  });

  test('killed between the file and its row: the next who asks makes the same', async () => {
    const media = await tooLarge();
    const id = await write(bluesky, [media], { 'bluesky.fit': 'shrink' });
    const first = await fittedFor(id, media);
    await forget(first.id);
    expect((await fittedFor(id, media)).id).toBe(first.id);
  });

  test('two processes make one picture with other bytes at once: the first stays, and neither fails', async () => {
    const { database } = service;
    const { workspaceId } = service.owner;
    const store = createFittedFileStore(database);
    const key = { mediaId: await tooLarge(), mode: 'shrink', target: '{}', recipe } as const;
    const unmoving = { durationMs: null, videoCodec: null, audioCodec: null, frameRate: null };
    const picture = { mimeType: 'image/jpeg', bytes: 1, width: 1, height: 1, sha256: '0', ...unmoving };
    const made = { ...key, refused: null, ...picture };
    const waits = sql(
      'test.waits',
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    let second: Promise<number> | undefined;
    await database.transaction(async () => {
      await store.insert(workspaceId, { ...made, id: 'fit_first' });
      second = database.outside(() => store.insert(workspaceId, { ...made, id: 'fit_second' }));
      await until('it waits for the first', () => database.outside(() => database.run(waits)));
    });
    expect(await second).toBe(0);
    expect(await store.find(workspaceId, [key], recipe)).toMatchObject([{ id: 'fit_first' }]);
  });

  test('what no post goes out with is swept, and what one does go out with stays', async () => {
    const [used, unused] = [await tooLarge(), await tooLarge()];
    const post = await write(bluesky, [used], { 'bluesky.fit': 'shrink' });
    const other = await write(bluesky, [unused], { 'bluesky.fit': 'shrink' });
    const [kept, left] = [await fittedFor(post, used), await fittedFor(other, unused)];
    const at = new Date(service.clock.now().getTime() + 40 * 24 * 3_600_000).toISOString();
    await service.asHuman('posts.schedule', { id: post, at });
    const age = async (...ids: string[]) => {
      const hoursAgo = new Date(Date.now() - 4 * 3_600_000);
      for (const name of ids.flatMap((id) => [id, `${id}.thumbnail`])) {
        await utimes(join(service.config.dataDir, 'media', name), hoursAgo, hoursAgo);
      }
    };
    await age(kept.id, left.id);
    await service.clock.forward(25 * 3_600_000);
    await service.posthorn.sweepOrphans();
    const there = await files();
    expect([kept.id, `${kept.id}.thumbnail`, left.id, `${left.id}.thumbnail`].map((file) => there.has(file))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect((await fetch(`${service.url}/media/${left.id}`)).status).toBe(404);
    // It is created again when somebody views it.
    expect((await fittedFor(other, unused)).id).toBe(left.id);

    await service.asHuman('posts.delete', { id: post });
    expect((await owner.delete(`/api/media/${used}`)).status).toBe(200);
    await service.posthorn.sweepOrphans();
    expect((await files()).has(kept.id)).toBe(false);
  });

  test('a picture that a post no longer uses can be deleted, though it once went into a card fitted', async () => {
    const media = await tooLarge();
    const id = await write(bluesky, [media], { 'bluesky.fit': 'shrink' });
    await ask(id);
    await service.client.posts.update({ id, accountIds: [bluesky], versions: [{ content: [{ body: 'Without' }] }] });
    expect((await owner.delete(`/api/media/${media}`)).status).toBe(200);
  });
});

describe('the recipe', () => {
  const target: FitTarget = { mimeTypes: ['image/jpeg'], maxBytes: 8_000_000, minRatio: 3 / 4, maxRatio: 1.91 };
  const fitted = async (file: Buffer, mode: 'shrink' | 'pad' | 'crop', change: Partial<FitTarget> = {}) => {
    const made = await fitImage(file, mode, { ...target, ...change });
    if ('refused' in made) throw new Error(made.refused);
    return made;
  };

  test('gives the same bytes for the same picture, and stays below the limit', async () => {
    const file = await noise(900, 700).png().toBuffer();
    const [one, two] = [
      await fitted(file, 'shrink', { maxBytes: 60_000 }),
      await fitted(file, 'shrink', { maxBytes: 60_000 }),
    ];
    expect(one.bytes.equals(two.bytes)).toBe(true);
    expect(one.bytes.length).toBeLessThanOrEqual(60_000);
    expect(one.width / one.height).toBeCloseTo(900 / 700, 1);
  });

  test('turns a picture as its orientation says', async () => {
    const file = await plain(1200, 600).jpeg().withMetadata({ orientation: 6 }).toBuffer();
    expect(await fitted(file, 'crop')).toMatchObject({ width: 600, height: 800 });
  });

  test('keeps what is see-through where the network can show it, and makes it white elsewhere', async () => {
    const clear = await sharp({ create: { width: 800, height: 400, channels: 4, background: '#00000000' } })
      .png()
      .toBuffer();
    expect(
      (await fitted(clear, 'shrink', { mimeTypes: ['image/jpeg', 'image/webp'], maxPixels: 20_000 })).mimeType,
    ).toBe('image/webp');
    const { bytes, mimeType } = await fitted(clear, 'shrink');
    expect(mimeType).toBe('image/jpeg');
    expect((await sharp(bytes).raw().toBuffer())[0]).toBe(255);
  });

  test.each([
    [7, 4000],
    [4000, 7],
    [31, 1000],
    [3001, 1001],
  ])('%i x %i comes within the ratio and the pixels, cropped or padded', async (width, height) => {
    const file = await plain(width, height).jpeg().toBuffer();
    for (const mode of ['crop', 'pad'] as const) {
      const made = await fitted(file, mode, { maxPixels: 100_000 });
      expect(made.width / made.height).toBeGreaterThanOrEqual(0.75);
      expect(made.width / made.height).toBeLessThanOrEqual(1.91);
      expect(made.width * made.height).toBeLessThanOrEqual(100_000);
      expect(await sharp(made.bytes).metadata()).toMatchObject({ width: made.width, height: made.height });
    }
  });

  test('refuses what would become too small, and an animated PNG', async () => {
    const file = await plain(2000, 200).jpeg().toBuffer();
    expect(await fitImage(file, 'crop', { ...target, minWidth: 400 })).toEqual({ refused: 'TooSmall' });
    const png = await plain(10, 10).png().toBuffer();
    const chunk = Buffer.concat([Buffer.from([0, 0, 0, 8]), Buffer.from('acTL'), Buffer.alloc(12)]);
    const apng = Buffer.concat([png.subarray(0, 33), chunk, png.subarray(33)]);
    expect(await fitImage(apng, 'crop', target)).toEqual({ refused: 'Animated' });
  });
});
