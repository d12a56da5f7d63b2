import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { SendStep } from '#contracts/posts';
import { openDatabase } from '#server/base/store/database';
import { type NewStep, watchPreparation } from '#server/delivery/publishing/progress';
import type { PublishMedia, Sending, Site } from '#server/networks/network';
import type { NetworkAnswer } from '#server/networks/request';
import { openPosthorn } from '#test/support/posthorn';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

let service: Service;
let owner: ReturnType<Service['browser']>;
beforeAll(async () => {
  service = await startService({ SIGN_INS_PER_HOUR: '1000' });
  owner = service.browser();
  await owner.signIn();
  service.startJobs();
});
afterAll(() => service.stop());

const open: (() => void)[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const stop of open.splice(0)) stop();
});

/** The steps that an open tab hears of a post. */
const watch = async (at = service, cookie = owner.cookie()) => {
  const stop = new AbortController();
  open.push(() => stop.abort());
  const response = await fetch(`${at.url}/api/app/events`, { headers: { cookie }, signal: stop.signal });
  let heard = '';
  (async () => {
    for await (const chunk of response.body ?? []) heard += new TextDecoder().decode(chunk);
  })().catch(() => undefined);
  await until('the stream is open', () => heard.includes('retry: 1000\n'));
  return {
    heard: () => heard,
    steps: (postId: string): SendStep[] =>
      [...heard.matchAll(/event: progress\ndata: (.*)\n\n/g)]
        .map(([, data = '']) => JSON.parse(data) as { id: string; steps: SendStep[] })
        .flatMap(({ id, steps }) => (id === postId ? steps : [])),
  };
};

const create = async (accountIds: readonly string[], body: string, media: readonly string[] = []) => {
  const { id } = await service.client.posts.create({ body, accountIds: [...accountIds] });
  const versions = [{ content: [{ body, media: [...media] }] }];
  await service.client.posts.update({ id, accountIds: [...accountIds], versions });
  return id;
};
const publish = (id: string) => service.asHuman('posts.publishNow', { id });
const readSteps = async (id: string) => (await owner.get(`/api/app/posts/${id}/progress`)).body.steps as SendStep[];
const names = (steps: readonly SendStep[]) => steps.map(({ step }) => step);

const order = ['Queued', 'Media', 'Sending', 'Published'];

describe('an open tab hears the steps of a post that goes out, in the order in which they happen:', () => {
  test('each picture, the request that makes it public, and how long it took', async () => {
    const account = await service.connect('mastodon');
    const files = await Promise.all([service.addFile(), service.addFile(), service.addFile()]);
    const id = await create([account], 'Three pictures', files);
    const tab = await watch();
    await publish(id);
    await until('it is out', () => names(tab.steps(id)).includes('Published'));
    const steps = tab.steps(id);
    expect(steps[0]).toMatchObject({
      accountId: account,
      step: 'Media',
      media: { kind: 'Image', number: 1, count: 3 },
    });
    const ranks = steps.map(({ step, media }) => order.indexOf(step) * 10 + (media?.number ?? 0));
    expect(ranks).toEqual([...ranks].sort((a, b) => a - b));
    expect(steps.at(-1)).toMatchObject({ step: 'Published', elapsedMs: expect.any(Number) });
    expect(steps.at(-1)?.elapsedMs).toBeGreaterThan(0);
    expect(await readSteps(id)).toEqual([steps.at(-1)]);
  });

  test('a picture that the network fetches itself', async () => {
    const account = await service.connect('threads');
    const id = await create([account], 'Fetched', [await service.addFile(), await service.addFile()]);
    const tab = await watch();
    await publish(id);
    await until('the first picture is announced', () => tab.steps(id).length > 0);
    expect(tab.steps(id)[0]).toMatchObject({ step: 'Media', media: { kind: 'Image', number: 1, count: 2 } });
  });

  test('one that failed', async () => {
    const account = await service.connect('bluesky');
    const id = await create([account], 'Refused [sandbox:content-refused]');
    const tab = await watch();
    await publish(id);
    await until('it has failed', () => names(tab.steps(id)).includes('Failed'));
    expect(names(tab.steps(id)).filter((step) => step !== 'Sending')).toEqual(['Failed']);
    expect(names(await readSteps(id))).toEqual(['Failed']);
  });

  test('one that is tried again, and when', async () => {
    const account = await service.connect('bluesky');
    const id = await create([account], 'Limited [sandbox:429-bare]');
    const tab = await watch();
    await publish(id);
    await until('it waits', () => names(tab.steps(id)).includes('Retrying'));
    const at = Date.parse(tab.steps(id).at(-1)?.at ?? '');
    expect(at).toBeGreaterThan(service.clock.now().getTime());
    const [step] = await readSteps(id);
    expect(step).toMatchObject({ step: 'Retrying', at: expect.any(String) });
    // The row has the exact time, and the event was sent a moment before it was read.
    expect(Math.abs(Date.parse(step?.at ?? '') - at)).toBeLessThan(10_000);
  });

  test('one whose answer was lost, until it is uncertain', async () => {
    const account = await service.connect('facebook');
    const id = await create([account], 'Lost [sandbox:late]');
    const tab = await watch();
    await publish(id);
    await until('its answer is lost', () => names(tab.steps(id)).includes('Confirming'));
    await service.clock.forward(61_000);
    await until('it is uncertain', () => names(tab.steps(id)).includes('Uncertain'));
    expect(names(tab.steps(id)).filter((step) => step !== 'Sending')).toEqual(['Confirming', 'Uncertain']);
    expect(names(await readSteps(id))).toEqual(['Uncertain']);
  });
});

test('steps of a send in another process reach the tabs and the readers of this one', async () => {
  await service.posthorn.jobs.stop(5_000);
  const database = openDatabase(service.parts, { report: () => undefined });
  const other = openPosthorn({ ...service, database });
  other.live.start();
  other.jobs.start();
  try {
    const account = await service.connect('bluesky');
    const id = await create([account], 'From elsewhere [sandbox:429-bare]', [await service.addFile()]);
    const tab = await watch();
    await publish(id);
    await until('the tab hears that it waits', () => names(tab.steps(id)).includes('Retrying'));
    // Steps in quick succession are combined, and only the last one is reported.
    expect(['Media', 'Sending', 'Retrying']).toContain(names(tab.steps(id))[0]);
    expect(names(await readSteps(id))).toEqual(['Retrying']);
    await service.clock.forward(120_000);
    await until('it is out', () => names(tab.steps(id)).includes('Published'));
    expect(await readSteps(id)).toEqual([tab.steps(id).at(-1)]);
  } finally {
    await other.jobs.stop(5_000);
    await other.close();
    await database.close();
    service.startJobs();
  }
});

test('a post goes out although no step of it can be shown', async () => {
  const publishLive = service.posthorn.live.publish;
  vi.spyOn(service.posthorn.live, 'publish').mockImplementation((...changes) =>
    changes[0]?.kind === 'progress' ? Promise.reject(new Error('away')) : publishLive(...changes),
  );
  const account = await service.connect('bluesky');
  const id = await create([account], 'Unseen', [await service.addFile()]);
  await publish(id);
  await until('it is out', async () => (await service.client.posts.get({ id })).status === 'Published');
  // Read from the rows.
  expect(names(await readSteps(id))).toEqual(['Published']);
});

test('a stream that breaks after a step resumes where it was', async () => {
  const account = await service.connect('bluesky');
  const id = await create([account], 'Resumed');
  const tab = await watch();
  await publish(id);
  await until('it is out', () => names(tab.steps(id)).includes('Published'));
  const last = [...tab.heard().matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? '';
  const after = await fetch(`${service.url}/api/app/events`, {
    headers: { cookie: owner.cookie(), 'last-event-id': last },
  });
  const reader = (after.body ?? new ReadableStream()).getReader();
  open.push(() => void reader.cancel());
  await service.posthorn.live.publish({ workspaceId: service.owner.workspaceId, kind: 'post', id: 'post_next' });
  let heard = '';
  while (!heard.includes('post_next')) heard += new TextDecoder().decode((await reader.read()).value as Uint8Array);
  expect(heard).not.toContain('resync');
  expect(heard).not.toContain('event: progress');
});

describe('while a file is uploaded', () => {
  const bytes = 3_000_000;
  const begin = () => {
    const noted: NewStep[] = [];
    const source = Readable.from(
      Array.from({ length: 30 }, () => Buffer.alloc(bytes / 30)),
      { objectMode: false },
    );
    const media = { id: 'm', kind: 'Video', mimeType: 'video/mp4', bytes, read: async () => source } as unknown;
    const sending = { part: { body: '', media: [media as PublishMedia] } } as unknown as Sending;
    const site = {
      request: async ({ guard, bytes: body }) => {
        guard?.mayBegin();
        await buffer(body?.stream ?? Readable.from([]));
        return { status: 200 } as NetworkAnswer;
      },
    } as Site;
    const watched = watchPreparation(site, sending, (step) => noted.push(step));
    return { noted, source, ...watched, file: watched.sending.part.media[0] as PublishMedia };
  };

  test('its bytes are counted as they leave', async () => {
    const { noted, site, file } = begin();
    await site.request({ method: 'POST', url: '', bytes: { length: bytes, stream: await file.read() } });
    const sent = noted.flatMap(({ media }) => media?.sentBytes ?? []);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(noted.at(-1)).toEqual({
      step: 'Media',
      media: { kind: 'Video', number: 1, count: 1, sentBytes: bytes, bytes },
    });
  });

  test('a question to the network is no step', async () => {
    const { noted, site } = begin();
    await site.request({ url: '' });
    expect(noted).toEqual([]);
  });

  test('an upload that is given up closes the file', async () => {
    const { source, file } = begin();
    (await file.read()).destroy();
    await until('the file is closed', () => source.destroyed);
  });
});
