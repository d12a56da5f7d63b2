import diagnostics from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApprovalCard } from '#contracts/approvals';
import type { Issue } from '#contracts/errors';
import type { EditorView, Post } from '#contracts/posts';
import { Posthorn, type PosthornError } from '#packages/sdk/src/index';
import { bounds } from '#server/base/bounds';
import { sql } from '#server/base/store/database';
import { createFfmpeg } from '#server/media/ffmpeg';
import { fitVideo } from '#server/media/fit-video';
import { createFitJobStore, type FittedFileKey } from '#server/media/fits/store';
import { checkFfmpeg } from '#server/operation/installation/part-checks';
import { aac, clip, ffmpegWith, h264, hevc, probe, vp8, withoutFfmpeg } from '#test/support/ffmpeg';
import { heic } from '#test/support/heic';
import { lockAwaited } from '#test/support/locks';
import { modern, speak } from '#test/support/mcp';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';
import { mp4 } from '#test/support/videos';

/** The bytes that each network's twin received. */
const received = new Map<string, Buffer[]>();
const record = (message: unknown) => {
  const { request } = message as { request: IncomingMessage };
  const network = /^\/sandbox\/(\w+)\//.exec(request.url ?? '')?.[1];
  if (network === undefined) return;
  const chunks = received.get(network) ?? [];
  received.set(network, chunks);
  const push = request.push.bind(request);
  request.push = (chunk: Buffer | null, ...rest: []) => {
    if (chunk) chunks.push(Buffer.from(chunk));
    return push(chunk, ...rest);
  };
};
beforeAll(() => diagnostics.subscribe('http.server.request.start', record));
afterAll(() => diagnostics.unsubscribe('http.server.request.start', record));

/** Makes texts unique, because X refuses duplicates. */
let posts = 0;

const helpersFor = (service: Service) => {
  const owner = service.browser();
  const view = async (id: string): Promise<EditorView> => (await owner.get(`/api/app/posts/${id}/editor`)).body;
  const issuesOf = async (id: string): Promise<Issue[]> =>
    (await service.call('posts.validate', { id })).body.issues ?? [];
  return {
    owner,
    view,
    issuesOf,
    upload: async (file: Buffer) => (await service.client.media.upload(new Uint8Array(file), { alt: 'A horn' })).id,
    write: async (accountIds: string[], media: string[], options: Record<string, string>) => {
      const versions = [{ content: [{ body: `Look ${++posts}`, media }], options }];
      return (await service.client.posts.create({ accountIds, versions })).id;
    },
    /** When nothing is being prepared any more. */
    prepared: (id: string) =>
      until(
        'all is prepared',
        async () => {
          // Polls slowly, because converting runs at low priority.
          await sleep(250);
          return !(await issuesOf(id)).some(({ code }) => code === 'MediaFitting');
        },
        300_000,
      ),
    ask: async (id: string, action = 'posts_publishNow', more = {}) => {
      const { result } = (await speak(service.url, service.token, modern).call(action, { id, ...more })).body;
      return `/api/approvals/${result.structuredContent.approvalUrl.split('/').at(-1)}`;
    },
    cardOf: async (card: string): Promise<ApprovalCard> => (await owner.get(card)).body,
    ended: async (id: string): Promise<Post> => {
      const { jobs } = service.posthorn;
      await until('it has ended', async () => {
        const { status } = await service.client.posts.get({ id });
        if (['Published', 'Failed'].includes(status)) return true;
        // Networks take a while to process a video.
        const waitMs = (await jobs.msToNext(['sends'])) ?? 0;
        if (jobs.inFlight().get('sends') === 0 && waitMs > 500) await service.clock.forward(waitMs);
        return false;
      });
      return service.client.posts.get({ id });
    },
    bytesOf: async (id: string) => Buffer.from(await (await fetch(`${service.url}/media/${id}`)).arrayBuffer()),
  };
};

describe('the codecs of a video', () => {
  let service: Service;
  let x: string;
  beforeAll(async () => {
    service = await startService({ FFMPEG_PATH: '/nowhere' });
    x = await service.connect('x');
  });
  afterAll(() => service.stop());

  test.each([
    ['avc1', 'h264'],
    ['hvc1', 'hevc'],
    ['hev1', 'hevc'],
    ['av01', 'av1'],
    ['vp09', 'vp9'],
    ['apcn', 'prores'],
  ])('%s is read at upload as %s, without ffmpeg', async (entry, videoCodec) => {
    const item = await service.client.media.upload(new Uint8Array(mp4({ codec: entry })));
    expect(item).toMatchObject({ videoCodec, audioCodec: 'none' });
  });

  test.skipIf(withoutFfmpeg).each<[string, Parameters<typeof clip>[1], string, string]>([
    ['a.mp4', { video: h264, audio: aac }, 'h264', 'aac'],
    ['a.mov', { video: hevc, audio: aac }, 'hevc', 'aac'],
    ['a.mp4', { video: h264, audio: ['-c:a', 'libmp3lame'] }, 'h264', 'mp3'],
    ['a.mp4', { video: h264, audio: ['-c:a', 'libopus'] }, 'h264', 'opus'],
    ['a.mov', { video: h264, audio: ['-c:a', 'pcm_s16le'] }, 'h264', 'pcm'],
    ['a.webm', { video: vp8, audio: ['-c:a', 'libopus'] }, 'vp8', 'opus'],
    ['a.webm', { video: ['-c:v', 'libvpx-vp9', '-cpu-used', '8'], audio: ['-c:a', 'libvorbis'] }, 'vp9', 'vorbis'],
  ])('of %s %o are %s and %s', async (name, how, videoCodec, audioCodec) => {
    const file = await clip(name, { size: '64x64', seconds: 1, ...how });
    const { frameRate, ...item } = await service.client.media.upload(new Uint8Array(file));
    expect(item).toMatchObject({ videoCodec, audioCodec, width: 64, height: 64 });
    if (!name.endsWith('webm')) expect(frameRate).toBeCloseTo(10, 1);
  });

  test('that a network does not take are named, with what would help, and without ffmpeg what is missing', async () => {
    const { upload, write, issuesOf } = helpersFor(service);
    const media = await upload(mp4({ codec: 'hvc1' }));
    const [issue] = await issuesOf(await write([x], [media], {}));
    expect(issue).toMatchObject({ code: 'VideoCodec', limit: 'h264', actual: 'hevc', provider: 'X' });
    expect(issue?.message).toBe(
      'The video is HEVC, and this network accepts H.264: convert it. x.fit could convert it, but this server has no ffmpeg: ask its operator to install that.',
    );
    expect(await issuesOf(await write([x], [await upload(mp4({ codec: 'avc1' }))], {}))).toEqual([]);
  });

  test('are unknown in a file that names none, which the network judges', async () => {
    const { upload, write, issuesOf } = helpersFor(service);
    expect(await issuesOf(await write([x], [await upload(mp4())], {}))).toEqual([]);
  });

  test('doctor says that ffmpeg is missing, and what that means', async () => {
    const { level, message } = await checkFfmpeg(service.config);
    expect(level).toBe('note');
    expect(message).toContain('has to be converted before its upload. Install ffmpeg');
  });

  test('a HEIC picture is stored without the place where it was taken', async () => {
    expect(heic.includes('A secret place')).toBe(true);
    const { id, ...item } = await service.client.media.upload(new Uint8Array(heic));
    expect(item).toMatchObject({ kind: 'Image', mimeType: 'image/heic', width: 640, height: 480 });
    const { bytesOf } = helpersFor(service);
    expect((await bytesOf(id)).includes('A secret place')).toBe(false);
  });

  test('a HEIC picture whose decoder the system kills, or whose file is lost, is not called damaged, and can be sent again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-heic-'));
    const decoder = async (name: string, script: string) => {
      await writeFile(join(folder, name), `#!/bin/sh\n${script}`, { mode: 0o755 });
      return join(folder, name);
    };
    const { execPath } = process;
    const upload = () => service.client.media.upload(new Uint8Array(heic), { filename: 'again.heic' });
    try {
      process.execPath = await decoder('killed', 'kill -9 $$');
      await expect(upload()).rejects.toMatchObject({
        code: 'Internal',
        message: 'The server had no memory left to read this image. Try again later, or save it smaller.',
      });
      process.execPath = await decoder('without-file', 'echo {}');
      await expect(upload()).rejects.toMatchObject({ code: 'Internal' });
    } finally {
      process.execPath = execPath;
      await rm(folder, { recursive: true });
    }
    expect(await upload()).toMatchObject({ mimeType: 'image/heic' });
  });

  test('a video that takes its pictures from another file is refused', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(mp4({ brand: 'qt  ', refersTo: 'file:///etc/passwd' }))]), 'a.mov');
    const headers = { authorization: `Bearer ${service.token}` };
    const { status, body } = await service.request('POST', '/api/media', { headers, body: form });
    expect(status).toBe(400);
    expect(body.message).toContain('takes its pictures or sound from another file');
  });
});

describe.skipIf(withoutFfmpeg)('with ffmpeg', () => {
  let service: Service;
  let help: ReturnType<typeof helpersFor>;
  const accounts = new Map<string, string>();
  const account = (network: string) => accounts.get(network) ?? '';
  beforeAll(async () => {
    service = await startService();
    service.startJobs();
    help = helpersFor(service);
    await help.owner.signIn();
    for (const network of ['x', 'bluesky', 'threads', 'instagram', 'linkedin', 'tiktok', 'pinterest', 'youtube']) {
      accounts.set(network, await service.connect(network));
    }
  });
  afterAll(() => service.stop());

  const five = ['x', 'bluesky', 'threads', 'instagram', 'linkedin'];
  const fitAll = (networks: readonly string[], mode = 'shrink') =>
    Object.fromEntries(networks.map((network) => [`${network}.fit`, mode]));

  /** Publishes a file, and checks that each network gets exactly the conversion that the card showed. */
  const publish = async (networks: readonly string[], file: Buffer, options: Record<string, string>) => {
    const media = await help.upload(file);
    const id = await help.write(networks.map(account), [media], options);
    await help.prepared(id);
    expect(await help.issuesOf(id)).toEqual([]);
    const card = await help.ask(id);
    const shown = await help.cardOf(card);
    expect(shown.preparing).toBeUndefined();
    received.clear();
    expect((await help.owner.post(`${card}/approve`)).body.status).toBe('Approved');
    const { results } = await help.ended(id);
    expect(results.map(({ ok, error }) => error ?? ok)).toEqual(networks.map(() => true));
    const sent = new Map<string, Buffer>();
    for (const network of networks) {
      const fitted = shown.fitted.find(({ accountId }) => accountId === account(network));
      const bytes = await help.bytesOf(fitted?.media.id ?? 'nothing');
      const isFetched =
        ['threads', 'instagram'].includes(network) || (network === 'tiktok' && fitted?.media.kind === 'Image');
      const got = Buffer.concat(received.get(network) ?? []);
      if (isFetched) {
        const { externalId } = results.find(({ accountId }) => accountId === account(network)) ?? {};
        const post = (await service.feed(network)).find((one) => one.id === externalId);
        expect(post?.media.join()).toContain(fitted?.media.id);
      } else expect([network, got.includes(bytes)]).toEqual([network, true]);
      sent.set(network, bytes);
    }
    return sent;
  };

  test('the thumbnail of a video is one of its frames, and a video that cannot be read has a sign in its place', async () => {
    const coloursIn = async (file: Buffer) => {
      const answer = await fetch(`${service.url}/media/${await help.upload(file)}?size=thumbnail`);
      const { channels } = await sharp(Buffer.from(await answer.arrayBuffer())).stats();
      return channels.reduce((sum, { stdev }) => sum + stdev, 0);
    };
    const sign = await coloursIn(mp4());
    expect(await coloursIn(await clip('seen.mp4', { seconds: 3, video: h264 }))).toBeGreaterThan(2 * sign);
    // Shorter than the offset at which a longer video is shown.
    expect(await coloursIn(await clip('short.mp4', { seconds: 1, video: h264 }))).toBeGreaterThan(2 * sign);
  });

  // The flatter and shorter a video is, the less its conversions cost: each network takes it as flat and as short as here.
  test.each([
    ['a 4K HEVC video goes out as H.264 of 1920 pixels', '3840x2160', 1, ['x'], [1920, 1080]],
    ['an HEVC video that is too wide goes out to LinkedIn as H.264', '1936x816', 3, ['linkedin'], [1920, 810]],
    [
      'an HEVC video that is too wide goes out to three more networks as H.264',
      '1936x208',
      3,
      ['bluesky', 'threads', 'instagram'],
      [1920, 206],
    ],
  ])(
    '%s',
    async (_title, size, seconds, networks, [width, height]) => {
      const file = await clip('a.mov', { size, seconds, rate: 1, video: hevc, audio: aac });
      for (const [network, bytes] of await publish(networks, file, fitAll(networks))) {
        expect({ network, ...(await probe(bytes)) }).toMatchObject({
          ...{ network, video: 'h264', audio: 'aac' },
          ...{ width, height, isFaststart: true },
        });
      }
    },
    600_000,
  );

  test('a silent video goes out with a silent track', async () => {
    const file = await clip('a.webm', { size: '480x270', rate: 25, video: vp8 });
    expect((await probe(file)).audio).toBeUndefined();
    for (const [network, bytes] of await publish(five, file, fitAll(five))) {
      const { video, audio, width, seconds } = await probe(bytes);
      expect([network, video, audio, width]).toEqual([network, 'h264', 'aac', 480]);
      expect(seconds).toBeCloseTo(3, 0);
    }
  }, 600_000);

  test('a HEIC picture goes out as JPEG', async () => {
    for (const [network, bytes] of await publish(five, heic, fitAll(five))) {
      const { format, width, height } = await sharp(bytes).metadata();
      expect([network, format, width, height]).toEqual([network, 'jpeg', 640, 480]);
    }
  }, 600_000);

  test('an AVIF picture goes out as JPEG', async () => {
    const file = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#8a4b08' } })
      .avif()
      .toBuffer();
    for (const [network, bytes] of await publish(['x', 'instagram'], file, fitAll(['x', 'instagram']))) {
      expect([network, (await sharp(bytes).metadata()).format]).toEqual([network, 'jpeg']);
    }
  }, 600_000);

  test('a GIF goes out as a video, repeated until it is long enough, where a network takes no GIF', async () => {
    const networks = ['instagram', 'threads', 'tiktok', 'pinterest', 'youtube'];
    const gif = await clip('a.gif', { size: '360x360', rate: 5, seconds: 1 });
    const id = await help.write([account('pinterest')], [], {});
    const board = (await help.view(id)).accounts[0]?.choices['pinterest.board']?.[0]?.value ?? '';
    const needed = { 'tiktok.privacy': 'SELF_ONLY', 'pinterest.board': board, 'youtube.title': 'Horn' };
    for (const [network, bytes] of await publish(networks, gif, { ...fitAll(networks), ...needed })) {
      const { video, width, height, seconds } = await probe(bytes);
      expect([network, video, width, height]).toEqual([network, 'h264', 360, 360]);
      expect(seconds).toBeGreaterThanOrEqual({ instagram: 3, tiktok: 3, pinterest: 4 }[network] ?? 0.9);
    }
  }, 600_000);

  test('H.264 in another container is repacked, and nothing of its pictures is lost', async () => {
    const file = await clip('a.mov', { video: h264, audio: aac, size: '640x360', rate: 25 });
    const media = await help.upload(file);
    const id = await help.write([account('bluesky')], [media], { 'bluesky.fit': 'shrink' });
    await help.prepared(id);
    const { id: fitted, ...item } = (await help.view(id)).accounts[0]?.fitted[media] ?? { id: '' };
    expect(item).toMatchObject({ kind: 'Video', mimeType: 'video/mp4', videoCodec: 'h264', alt: 'A horn' });
    const bytes = await help.bytesOf(fitted);
    // The coded pictures are those of the source.
    expect(Math.abs(bytes.length - file.length)).toBeLessThan(8_000);
  }, 600_000);

  test.each([
    ['pad', 'with black borders'],
    ['crop', 'cropped'],
  ])(
    '%s brings it to a shape that the network takes',
    async (mode, words) => {
      const media = await help.upload(await clip('a.mp4', { video: h264, size: '640x160' }));
      const id = await help.write([account('x')], [media], {});
      expect(await help.issuesOf(id)).toMatchObject([
        { code: 'MediaRatio', fix: { key: 'x.fit', values: ['pad', 'crop'] } },
      ]);
      await service.client.posts.setOption({ id, key: 'x.fit', value: mode });
      await help.prepared(id);
      const { warnings } = (await service.call('posts.validate', { id })).body;
      expect(warnings[0].message).toContain(`Video 1 goes to X ${words}`);
      const { width = 0, height = 1 } = (await help.view(id)).accounts[0]?.fitted[media] ?? {};
      expect(width / height).toBeLessThanOrEqual(3.002);
      expect(width / height).toBeGreaterThan(2.9);
    },
    600_000,
  );

  test('a length is cut when that is asked for, and not otherwise', async () => {
    const media = await help.upload(await clip('a.mp4', { video: h264, size: '64x64', rate: 5, seconds: 145 }));
    const id = await help.write([account('x')], [media], { 'x.fit': 'shrink' });
    const [issue] = await help.issuesOf(id);
    expect(issue).toMatchObject({ code: 'VideoTooLong', fix: { key: 'x.cut', values: ['true'] } });
    expect(issue?.message).toBe('Use a shorter video, or set x.cut to true.');
    await service.client.posts.setOption({ id, key: 'x.cut', value: 'true' });
    await help.prepared(id);
    const { warnings } = (await service.call('posts.validate', { id })).body;
    expect(warnings[0].message).toContain('cut to 140 seconds');
    const { durationMs } = (await help.view(id)).accounts[0]?.fitted[media] ?? {};
    expect(durationMs).toBeLessThanOrEqual(140_000);
    expect(durationMs).toBeGreaterThan(139_000);
  }, 600_000);

  test('a video that cannot be read is refused in words', async () => {
    const whole = await clip('a.webm', { video: vp8, size: '64x64' });
    const head = whole.indexOf(Buffer.from('1f43b675', 'hex')) + 40;
    const broken = Buffer.concat([whole.subarray(0, head), Buffer.alloc(whole.length - head, 0x55)]);
    const id = await help.write([account('x')], [await help.upload(broken)], { 'x.fit': 'shrink' });
    await help.prepared(id);
    expect((await help.issuesOf(id))[0]?.message).toContain('x.fit cannot help: the video cannot be read.');
  }, 600_000);

  test('begins when a draft is saved, also when nobody looks at it', async () => {
    const media = await help.upload(await clip('a.webm', { video: vp8, size: '96x96' }));
    await help.write([account('x')], [media], { 'x.fit': 'shrink' });
    const made = sql('test.made', 'select from renditions where media_id = $1 and refused is null');
    await until('it is made', async () => (await service.database.query(made, [media])).length === 1);
  }, 600_000);
});

describe.skipIf(withoutFfmpeg)('a conversion ends at the bounds of this server, and leaves a reason:', () => {
  const plenty = { timeMs: 300_000, memoryBytes: 3 * 1024 ** 3, fileBytes: 10_000_000 };
  test.each([
    ['time', { timeMs: 300 }, 'sleep 600', 'TookTooLong'],
    ['bytes on the disk', { fileBytes: 1_000 }, 'true', 'TooLong'],
    ['memory', {}, "echo 'Error while decoding stream #0:0: Cannot allocate memory' >&2; exit 1", 'TooBig'],
  ])(
    '%s',
    async (_bound, limits, script, refused) => {
      const { folder, remove } = ffmpegWith(script);
      const path = join(folder, 'a.webm');
      try {
        await writeFile(path, await clip('a.webm', { video: vp8, size: '96x96', seconds: 2 }));
        const ffmpeg = createFfmpeg({ folder, limits: { ...plenty, ...limits } });
        const source = { path, mimeType: 'video/webm', width: 96, height: 96, durationMs: 2_000 };
        const target = { kind: 'Video', maxBytes: 10_000_000 } as const;
        const onPercent = () => undefined;
        expect(await fitVideo(ffmpeg, source, 'shrink', target, join(folder, 'a.mp4'), { onPercent })).toEqual({
          refused,
        });
      } finally {
        remove();
      }
    },
    600_000,
  );
});

describe.skipIf(withoutFfmpeg)('the queue of videos', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const workspaceOf = async ({ workspaceId, token }: { workspaceId: string; token: string }) => {
    const client = new Posthorn({ baseUrl: service.url, token });
    const x = await service.addAccount('x', workspaceId);
    let size = 100;
    return {
      workspaceId,
      client,
      /** A draft with a video of its own that X does not take. */
      write: async () => {
        size += 2;
        const file = await clip('a.webm', { video: vp8, size: `${size}x${size}`, seconds: 1 });
        const { id: media } = await client.media.upload(new Uint8Array(file));
        const versions = [{ content: [{ body: 'Look', media: [media] }], options: { 'x.fit': 'shrink' } }];
        return (await client.posts.create({ accountIds: [x], versions })).id;
      },
    };
  };

  test('serves workspaces in turn: a video does not wait for all those that another workspace has queued before', async () => {
    const [many, one] = [
      await workspaceOf(await service.addWorkspace()),
      await workspaceOf(await service.addWorkspace()),
    ];
    for (let n = 0; n < 3; n++) await many.write();
    await one.write();
    await service.posthorn.jobs.runDue(['fits']);
    const inOrder = sql(
      'test.inOrder',
      'select workspace_id as "workspaceId" from renditions where workspace_id = any($1) order by created_at',
    ).holds<{ workspaceId: string }>();
    const made = await service.database.query(inOrder, [[many.workspaceId, one.workspaceId]]);
    expect(made.map(({ workspaceId }) => (workspaceId === one.workspaceId ? 'one' : 'many'))).toEqual([
      ...['many', 'one', 'many', 'many'],
    ]);
  });

  test('takes a bounded number of videos of a workspace: the issue of a further one says so, and it is queued once there is room', async () => {
    const { workspaceId, client, write } = await workspaceOf(await service.addWorkspace());
    const jobs = createFitJobStore(service.database);
    const { id: mediaId } = await client.media.upload(new Uint8Array(mp4()));
    const request = (n: number): FittedFileKey => ({
      mediaId,
      mode: 'shrink',
      target: `{"kind":"Video","maxBytes":${n}}`,
    });
    const requests = Array.from({ length: bounds.videoFits }, (_, n) => request(n));
    await jobs.add(workspaceId, requests);
    const id = await write();
    const validate = () => client.posts.validate({ id }).catch((error: unknown) => (error as PosthornError).issues);
    expect(await validate()).toMatchObject([
      {
        code: 'MediaFitting',
        message:
          '500 videos of this workspace already wait to be prepared. Check the post again when some of them are done.',
      },
    ]);
    const [first] = await jobs.claim(1, 'finished', 60_000);
    if (first) await jobs.remove(first);
    const waits = [{ code: 'MediaFitting', message: expect.stringContaining('is being prepared') }];
    expect(await validate()).toMatchObject(waits);
    // It has taken the last place.
    await jobs.add(workspaceId, [request(bounds.videoFits)]);
    expect((await jobs.pending(workspaceId, [...requests, request(bounds.videoFits)])).length).toBe(
      bounds.videoFits - 1,
    );
    expect(await validate()).toMatchObject(waits);
  });
});

test.skipIf(withoutFfmpeg)(
  'a video may be converted for as long as its length asks for, and 30 minutes at most',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-times-'));
    // A program inherits its time on the processor, which is four times the time that it may take.
    const { folder: programs, remove } = ffmpegWith(`touch ${folder}/$(ulimit -t); exit 1`);
    const { convert } = createFfmpeg({ folder: programs });
    const source = { path: join(folder, 'a.webm'), mimeType: 'video/webm', args: [], output: join(folder, 'a.mp4') };
    const secondsFor = async (durationMs: number) => {
      await convert(source, { durationMs, onPercent: () => undefined });
      const [cpuSeconds = ''] = await readdir(folder);
      await rm(join(folder, cpuSeconds));
      return Number(cpuSeconds) / 4;
    };
    expect([
      await secondsFor(1_000),
      await secondsFor(10_000),
      await secondsFor(3_600_000),
      await secondsFor(0),
    ]).toEqual([...[150, 420, 1_800, 1_800]]);
    remove();
    await rm(folder, { recursive: true });
  },
);

test.skipIf(withoutFfmpeg)('a video is not called broken when the process that reads it is killed', async () => {
  const { folder, remove } = ffmpegWith('', 'kill -9 $$');
  const source = { path: join(folder, 'a.webm'), mimeType: 'video/webm', width: 96, height: 96, durationMs: 2_000 };
  const target = { kind: 'Video', maxBytes: 10_000_000 } as const;
  const onPercent = () => undefined;
  const fitted = fitVideo(createFfmpeg({ folder }), source, 'shrink', target, join(folder, 'a.mp4'), { onPercent });
  await expect(fitted).rejects.toMatchObject({ why: 'Killed' });
  remove();
});

test.skipIf(withoutFfmpeg)('ffmpeg and ffprobe are started for a video, and not while none waits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-started-'));
  const started = join(folder, 'started');
  const ffmpeg = ffmpegWith('', `touch ${started}`);
  const service = await startService({ FFMPEG_PATH: ffmpeg.folder });
  await service.posthorn.jobs.runDue(['fits']);
  await service.posthorn.jobs.agesMs();
  expect(existsSync(started)).toBe(false);
  await helpersFor(service).upload(await clip('a.webm', { seconds: 1, video: vp8 }));
  expect(existsSync(started)).toBe(true);
  await service.stop();
  ffmpeg.remove();
  await rm(folder, { recursive: true });
});

describe.skipIf(withoutFfmpeg)('the thumbnail of an uploaded video', () => {
  test('is made by at most two processes at once, however many videos are uploaded', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'posthorn-thumbnails-'));
    const inFolder = (name: string) => join(folder, name);
    const [gate, running, counts, picture] = [
      inFolder('gate'),
      inFolder('running'),
      inFolder('counts'),
      inFolder('a.png'),
    ];
    await sharp({ create: { width: 80, height: 60, channels: 3, background: '#a40' } }).toFile(picture);
    await Promise.all([gate, running, counts].map((path) => mkdir(path)));
    const ffmpeg = ffmpegWith(
      '',
      '',
      [
        `touch ${running}/$$; touch ${counts}/$(ls ${running} | wc -l)`,
        `while [ -e ${gate} ]; do sleep 0.05; done`,
        `cat ${picture}; rm ${running}/$$; exit 0`,
      ].join('; '),
    );
    const service = await startService({ FFMPEG_PATH: ffmpeg.folder });
    const uploads = Array.from({ length: 12 }, (_, n) => helpersFor(service).upload(mp4({ width: 1000 + n })));
    await until('all files have arrived and two processes run', async () => {
      const files = await readdir(join(service.config.dataDir, 'incoming')).catch(() => []);
      return files.length >= 12 && (await readdir(running)).length >= 2;
    });
    await rm(gate, { recursive: true });
    expect(new Set(await Promise.all(uploads)).size).toBe(12);
    expect((await readdir(counts)).sort().at(-1)).toBe('2');
    await service.stop();
    ffmpeg.remove();
    await rm(folder, { recursive: true });
  });

  test('is not decoded from more pixels than are accepted: a video that names them is refused, one that hides them gets a sign', async () => {
    const service = await startService();
    const { upload, bytesOf } = helpersFor(service);
    const answer = await upload(mp4({ width: 8_192, height: 4_322 })).catch((error: unknown) => error);
    expect(answer).toMatchObject({
      code: 'BadInput',
      issues: [{ path: 'file', code: 'TooBig', message: 'has more than 35 million pixels: make it smaller' }],
    });
    const mjpeg = ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'];
    const large = await clip('a.mov', { size: '8192x4322', seconds: 1, rate: 2, video: mjpeg });
    const header = large.indexOf('tkhd') + 80;
    large.writeUInt32BE(320 * 65_536, header);
    large.writeUInt32BE(240 * 65_536, header + 4);
    const sign = await bytesOf(`${await upload(mp4({ width: 320, height: 240 }))}?size=thumbnail`);
    expect((await bytesOf(`${await upload(large)}?size=thumbnail`)).equals(sign)).toBe(true);
    await service.stop();
  });
});

describe.skipIf(withoutFfmpeg)('while a video is being prepared', () => {
  let service: Service;
  let help: ReturnType<typeof helpersFor>;
  let folder: string;
  let ffmpeg: ReturnType<typeof ffmpegWith>;
  let x: string;
  const gate = () => join(folder, 'gate');
  const begun = () => join(folder, 'begun');
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'posthorn-gate-'));
    ffmpeg = ffmpegWith(
      [
        `touch ${begun()}; while [ -e ${gate()} ]; do sleep 0.1; done; [ ! -e ${folder}/kill ] || kill -9 $$`,
        `[ ! -e ${folder}/full ] || { echo 'av_interleaved_write_frame(): No space left on device' >&2; exit 228; }`,
      ].join('; '),
    );
    service = await startService({ FFMPEG_PATH: ffmpeg.folder });
    service.startJobs();
    help = helpersFor(service);
    await help.owner.signIn();
    x = await service.connect('x');
  });
  afterAll(async () => {
    await service.stop();
    ffmpeg.remove();
    await rm(folder, { recursive: true, force: true });
  });

  let size = 100;
  const webm = async () => {
    size += 2;
    return clip('a.webm', { video: vp8, size: `${size}x${size}`, seconds: 1 });
  };

  test('the card is there at once, and can be approved when it shows what is sent', async () => {
    await writeFile(gate(), '');
    const media = await help.upload(await webm());
    const id = await help.write([x], [media], { 'x.fit': 'shrink' });
    const card = await help.ask(id);
    expect(await help.cardOf(card)).toMatchObject({
      status: 'Open',
      preparing: true,
      fitted: [],
      validation: { issues: [{ code: 'MediaFitting' }] },
    });
    // The same request again is the same card.
    expect(await help.ask(id)).toBe(card);
    const early = await help.owner.post(`${card}/approve`);
    expect(early.body).toMatchObject({ code: 'Invalid', issues: [{ code: 'MediaFitting' }] });
    expect((await help.cardOf(card)).status).toBe('Open');

    await rm(gate());
    await help.prepared(id);
    await until('it is ready', async () => (await help.cardOf(card)).preparing === undefined);
    const ready = await help.cardOf(card);
    expect(ready).toMatchObject({
      status: 'Open',
      fitted: [{ accountId: x, mediaId: media }],
      validation: { issues: [] },
    });
    received.clear();
    expect((await help.owner.post(`${card}/approve`)).body.status).toBe('Approved');
    expect((await help.ended(id)).status).toBe('Published');
    const bytes = await help.bytesOf(ready.fitted[0]?.media.id ?? '');
    expect(Buffer.concat(received.get('x') ?? []).includes(bytes)).toBe(true);
  }, 600_000);

  test('the card is not approved by a click on what it showed before, although the file is ready by then', async () => {
    await writeFile(gate(), '');
    const id = await help.write([x], [await help.upload(await webm())], { 'x.fit': 'shrink' });
    const card = await help.ask(id);
    const { database } = service;
    const lock = sql('test.lockCard', 'select from approval_cards where id = $1 for update', 'locks');
    let click: ReturnType<typeof help.owner.post> | undefined;
    await database.transaction(async () => {
      await database.run(lock, [card.split('/').at(-1)]);
      click = database.outside(() => help.owner.post(`${card}/approve`));
      await lockAwaited(service);
      await rm(gate());
      await database.outside(() => help.prepared(id));
    });
    expect((await click)?.body).toMatchObject({ code: 'Invalid', issues: [{ code: 'MediaFitting' }] });
    await until('it is ready', async () => (await help.cardOf(card)).preparing === undefined);
    expect((await help.owner.post(`${card}/approve`)).body.status).toBe('Approved');
    expect((await help.ended(id)).status).toBe('Published');
  }, 600_000);

  test('a change of the post makes the card outdated', async () => {
    await writeFile(gate(), '');
    const id = await help.write([x], [await help.upload(await webm())], { 'x.fit': 'shrink' });
    const card = await help.ask(id);
    await service.client.posts.setVersionText({ id, accountId: '', itemIndex: 0, body: 'Another' });
    await rm(gate());
    await help.prepared(id);
    expect((await help.cardOf(card)).status).toBe('Outdated');
  }, 600_000);

  test('a person who schedules it is told to wait', async () => {
    await writeFile(gate(), '');
    const id = await help.write([x], [await help.upload(await webm())], { 'x.fit': 'shrink' });
    const at = new Date(service.clock.now().getTime() + 3_600_000).toISOString();
    const early = await help.owner.post('/api/app/actions/posts.schedule', { id, at });
    expect(early.body).toMatchObject({ code: 'Invalid', issues: [{ code: 'MediaFitting' }] });
    expect(early.body.message).toContain('is being prepared');
    await rm(gate());
    await help.prepared(id);
    expect((await help.owner.post('/api/app/actions/posts.schedule', { id, at })).body.status).toBe('Scheduled');
    await service.asHuman('posts.delete', { id });
  }, 600_000);

  test('the process that worked on it is gone: another begins anew, and nothing half-written is used', async () => {
    const { database } = service;
    await service.posthorn.jobs.stop(0);
    const media = await help.upload(await webm());
    const id = await help.write([x], [media], { 'x.fit': 'shrink' });
    expect(await createFitJobStore(database).claim(1, 'gone', 60_000)).toMatchObject([{ mediaId: media, attempts: 1 }]);
    service.startJobs();
    expect((await help.issuesOf(id))[0]?.code).toBe('MediaFitting');
    await service.clock.forward(61_000);
    await help.prepared(id);
    expect(await help.issuesOf(id)).toEqual([]);
  }, 600_000);

  test('one that is finished is not converted again, when somebody asked for it at the last moment', async () => {
    const media = await help.upload(await webm());
    const id = await help.write([x], [media], { 'x.fit': 'shrink' });
    await help.prepared(id);
    await rm(begun());
    const finished = sql(
      'test.finished',
      'select media_id as "mediaId", mode, target from renditions where media_id = $1',
    ).holds<FittedFileKey>();
    const jobs = createFitJobStore(service.database);
    const requests = await service.database.query(finished, [media]);
    await jobs.add(service.owner.workspaceId, requests);
    await until('it is done', async () => (await jobs.pending(service.owner.workspaceId, requests)).length === 0);
    expect([requests.length, existsSync(begun())]).toEqual([1, false]);
  }, 600_000);

  test('ffmpeg that is killed is tried again, and then given up in words; no file is left', async () => {
    await writeFile(join(folder, 'kill'), '');
    const media = await help.upload(await webm());
    const id = await help.write([x], [media], { 'x.fit': 'shrink' });
    const attempts = sql('test.attempts', 'select attempts, claim from fit_jobs where media_id = $1').holds<{
      attempts: number;
      claim: string | null;
    }>();
    for (const tried of [1, 2]) {
      await until(`it was tried ${tried} times`, async () => {
        const [job] = await service.database.query(attempts, [media]);
        return job?.attempts === tried && job.claim === null;
      });
      await service.clock.forward(31_000);
    }
    await help.prepared(id);
    expect((await help.issuesOf(id))[0]?.message).toContain('x.fit failed on this server several times.');
    await rm(join(folder, 'kill'));
    const incoming = join(service.config.dataDir, 'incoming');
    expect(existsSync(incoming) ? await readdir(incoming) : []).toEqual([]);
  }, 600_000);

  test('a full disk is no fault of the file: it is converted when there is room again', async () => {
    await writeFile(join(folder, 'full'), '');
    const media = await help.upload(await webm());
    const id = await help.write([x], [media], { 'x.fit': 'shrink' });
    const attempts = sql(
      'test.room',
      'select attempts, claim, due_at > posthorn_now() as waits from fit_jobs where media_id = $1',
    ).holds<{ attempts: number; claim: string | null; waits: boolean }>();
    await until('it waits for room', async () => {
      const [job] = await service.database.query(attempts, [media]);
      return job?.attempts === 0 && job.claim === null && job.waits;
    });
    expect((await help.issuesOf(id))[0]?.code).toBe('MediaFitting');
    await rm(join(folder, 'full'));
    await service.clock.forward(301_000);
    await help.prepared(id);
    expect(await help.issuesOf(id)).toEqual([]);
  }, 600_000);
});
