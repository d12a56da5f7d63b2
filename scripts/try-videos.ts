// npm run try:videos [-- <seconds>]
// Sends a 4K HEVC video, a silent video, a HEIC picture and a GIF to five sandbox networks each, a 4K video of this length
// (60 s) to one, and a broken video to none. Prints what each network got, the peak memory of the service and of ffmpeg, and
// the peak size of the files in progress. Exits with 1 if one of these results is wrong. Takes some minutes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import type { EditorView } from '#contracts/posts';
import { Posthorn } from '#packages/sdk/src/index';
import { bounds } from '#server/base/bounds';
import { aac, clip, hevc, probe, vp8 } from '#test/support/ffmpeg';
import { heic } from '#test/support/heic';
import { createProcesses } from '#test/support/processes';

const seconds = Number(process.argv[2] ?? 60);
const MiB = 1024 * 1024;
/**
 * How much the memory of the service may grow while ffmpeg works. It should stay small, because the service streams.
 */
const mostGrowthBytes = 150 * MiB;
const sampleEveryMs = 100;

const takesVideo = ['x', 'bluesky', 'threads', 'instagram', 'linkedin'];
const takesNoGif = ['instagram', 'threads', 'tiktok', 'pinterest', 'youtube'];

const processOf = (pid: string) => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
    return { name: field('Name'), parent: field('PPid'), residentBytes: Number(field('VmRSS')) * 1024 };
  } catch {
    // The process has ended.
    return undefined;
  }
};

const descendsFrom = (pid: string, ancestor: string): boolean => {
  const parent = processOf(pid)?.parent;
  return parent !== undefined && parent !== '0' && (parent === ancestor || descendsFrom(parent, ancestor));
};

const bytesBelow = (folder: string): number => {
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  } catch {
    // No file is in progress, or one has just been moved away.
    return 0;
  }
};

/** The peaks until `stop`. */
const watchResources = (pid: string, incoming: string) => {
  const peaks = { service: 0, ffmpeg: 0, ffmpegs: 0, files: 0 };
  const sample = () => {
    const converters = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && processOf(name)?.name === 'ffmpeg' && descendsFrom(name, pid))
      .map((name) => processOf(name)?.residentBytes ?? 0);
    peaks.service = Math.max(peaks.service, processOf(pid)?.residentBytes ?? 0);
    peaks.ffmpeg = Math.max(peaks.ffmpeg, ...converters);
    peaks.ffmpegs = Math.max(peaks.ffmpegs, converters.length);
    peaks.files = Math.max(peaks.files, bytesBelow(incoming));
  };
  const timer = setInterval(sample, sampleEveryMs);
  sample();
  return {
    peaks,
    stop: () => clearInterval(timer),
  };
};

const inMb = (bytes: number) => `${(bytes / MiB).toFixed(0)} MB`;

const fail = (message: string) => {
  console.error(`FAILED: ${message}`);
  process.exitCode = 1;
};

const processes = await createProcesses();
try {
  // Build the program first, because a build takes longer than the start timeout.
  await processes.run(['--version']);
  const service = await processes.start();
  const person = { email: 'owner@example.com', password: 'a long password of a test' };
  const setup = await processes.ask(
    'setup',
    '--email',
    person.email,
    '--password',
    person.password,
    '--workspace',
    'A',
  );
  const { token = '', workspaceId = '' } = setup;
  const accounts = new Map<string, string>();
  for (const network of new Set([...takesVideo, ...takesNoGif])) {
    const { id = '' } = await processes.ask('account', 'add', '--workspace', workspaceId, '--network', network);
    accounts.set(network, id);
  }
  const client = new Posthorn({ baseUrl: service.url, token });
  const act = await service.signIn(person);
  const headers = { cookie: act.cookie };
  const editorOf = async (id: string): Promise<EditorView> =>
    (await fetch(`${service.url}/api/app/posts/${id}/editor`, { headers })).json() as Promise<EditorView>;
  const issuesOf = async (id: string) => {
    const { body } = await service.call(token, 'posts.validate', { id });
    return (body.issues ?? []) as { code: string; message: string }[];
  };

  const prepare = async (networks: readonly string[], file: Buffer, options: Record<string, string>) => {
    const { id: mediaId } = await client.media.upload(new Uint8Array(file), { alt: 'A horn' });
    const fit = Object.fromEntries(networks.map((network) => [`${network}.fit`, 'shrink']));
    const content = [{ body: `A file of ${file.length} bytes`, media: [mediaId] }];
    const accountIds = networks.map((network) => accounts.get(network) ?? '');
    const post = await client.posts.create({ accountIds, versions: [{ content, options: { ...fit, ...options } }] });
    while ((await issuesOf(post.id)).some(({ code }) => code === 'MediaFitting')) await sleep(500);
    return { id: post.id, mediaId };
  };

  const publish = async (title: string, networks: readonly string[], file: Buffer, options = {}) => {
    const startedAt = performance.now();
    const { id, mediaId } = await prepare(networks, file, options);
    for (const { message } of await issuesOf(id)) fail(`${title}: ${message}`);
    const { accounts: views } = await editorOf(id);
    await act('/api/app/actions/posts.publishNow', { id });
    for (;;) {
      const { status } = await client.posts.get({ id });
      if (status === 'Published' || status === 'Failed') break;
      await sleep(500);
    }
    const { results } = await client.posts.get({ id });
    console.log(`\n${title}, ${inMb(file.length)}, in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
    for (const network of networks) {
      const accountId = accounts.get(network);
      const { ok, error } = results.find((result) => result.accountId === accountId) ?? { ok: false };
      const fitted = views.find((view) => view.accountId === accountId)?.fitted[mediaId];
      if (!ok || !fitted) fail(`${title} on ${network}: ${error ?? 'it was not fitted'}`);
      const bytes = Buffer.from(await (await fetch(`${service.url}/media/${fitted?.id}`)).arrayBuffer());
      console.log(`  ${network.padEnd(10)} ${await describeFile(bytes, fitted?.kind)}`);
    }
  };

  const describeFile = async (bytes: Buffer, kind: string | undefined) => {
    if (kind === 'Image') {
      const { format, width, height } = await sharp(bytes).metadata();
      return `${format}, ${width} x ${height}, ${inMb(bytes.length)}`;
    }
    const { video, audio, width, height, seconds: length } = await probe(bytes);
    return `${video} and ${audio}, ${width} x ${height}, ${length.toFixed(1)} s, ${inMb(bytes.length)}`;
  };

  const large = { size: '3840x2160', rate: 5, seconds: 4, video: hevc, audio: aac };
  const watch = watchResources(String(service.pid), join(processes.dataDir, 'incoming'));
  const before = watch.peaks.service;
  await publish('A 4K HEVC video', takesVideo, await clip('a.mov', large));
  const repeats = Math.ceil(seconds / large.seconds) - 1;
  await publish(`A 4K HEVC video of ${seconds} s`, ['x'], await clip('a.mov', { ...large, repeats }));
  await publish(
    'A silent video',
    takesVideo,
    await clip('a.webm', { size: '640x360', rate: 25, seconds: 4, video: vp8 }),
  );
  await publish('A HEIC picture', takesVideo, heic);
  const gif = await clip('a.gif', { size: '640x640', rate: 5, seconds: 1 });
  const draft = await client.posts.create({ accountIds: [accounts.get('pinterest') ?? ''], body: '' });
  const board = (await editorOf(draft.id)).accounts[0]?.choices['pinterest.board']?.[0]?.value ?? '';
  const needed = { 'tiktok.privacy': 'SELF_ONLY', 'pinterest.board': board, 'youtube.title': 'Horn' };
  await publish('A GIF', takesNoGif, gif, needed);

  const whole = await clip('a.webm', { video: vp8, size: '64x64' });
  const head = whole.indexOf(Buffer.from('1f43b675', 'hex')) + 40;
  const broken = Buffer.concat([whole.subarray(0, head), Buffer.alloc(whole.length - head, 0x55)]);
  const [refusal] = await issuesOf((await prepare(['x'], broken, {})).id);
  console.log(`\nA broken video: ${refusal?.message}`);
  if (!refusal) fail('a broken video was accepted');

  watch.stop();
  const { peaks } = watch;
  console.log(`\nThe service took ${inMb(before)} before, and ${inMb(peaks.service)} at most.`);
  console.log(
    `ffmpeg took ${inMb(peaks.ffmpeg)} at most, ${peaks.ffmpegs} at a time; files in progress ${inMb(peaks.files)}.`,
  );
  if (peaks.service - before > mostGrowthBytes) fail('the service grew too much');
  if (peaks.ffmpeg === 0 || peaks.ffmpeg > bounds.videoFitMemoryBytes) fail('ffmpeg took too much, or was not seen');
  if (bytesBelow(join(processes.dataDir, 'incoming')) > 0) fail('files in progress were left behind');
} finally {
  await processes.clear();
}
