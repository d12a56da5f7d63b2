// npm run try:uploads [-- <megabytes>]
// Sends a large video through the SDK, the command line and Python, over a 10 Mbit/s connection that breaks twice.
// Prints what arrived, and exits with 1 if something did not. With 300 MB, each of the three takes about four minutes.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, openAsBlob } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { Posthorn } from '#packages/sdk/src/index';
import { createProcesses } from '#test/support/processes';
import { mp4 } from '#test/support/videos';

const megabytes = Number(process.argv[2] ?? 300);
const bytesPerSecond = 10_000_000 / 8;
const root = resolve(import.meta.dirname, '..');

/** A video padded to the requested size with a `free` box, which players skip. */
const writeVideo = async (path: string) => {
  const box = Buffer.alloc(8);
  box.writeUInt32BE(megabytes * 1_000_000, 0);
  box.write('free', 4);
  const file = await open(path, 'w');
  await file.write(Buffer.concat([mp4(), box]));
  await file.truncate(mp4().length + megabytes * 1_000_000);
  await file.close();
};

/** Slows down what clients send, and drops the connection at the given byte counts. */
const openLine = async (port: number, breaksAt: number[]) => {
  let total = 0;
  const line = createServer({ pauseOnConnect: true }, (client) => {
    const server = connect(port, '127.0.0.1');
    server.on('error', () => client.destroy()).pipe(client);
    client.on('error', () => server.destroy()).on('close', () => server.destroy());
    const pump = async () => {
      for await (const chunk of client as AsyncIterable<Buffer>) {
        await new Promise((next) => setTimeout(next, (chunk.length / bytesPerSecond) * 1000));
        total += chunk.length;
        if (breaksAt[0] !== undefined && total > breaksAt[0]) {
          breaksAt.shift();
          return client.destroy();
        }
        if (!server.write(chunk)) await once(server, 'drain');
      }
      server.end();
    };
    pump().catch(() => server.destroy());
    client.resume();
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    total: () => total,
    close: () => line.close(),
  };
};

const run = async (command: string, args: string[], env: NodeJS.ProcessEnv) => {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}`);
  return JSON.parse(text) as { id: string; bytes: number };
};

const pythonProgram = (path: string) =>
  `import json, posthorn; print(json.dumps(posthorn.Posthorn().media.upload(${JSON.stringify(path)})))`;

const hashOf = async (stream: AsyncIterable<Uint8Array>) => {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk);
  return hash.digest('hex');
};

const processes = await createProcesses();
const video = join(processes.dir, 'film.mp4');
try {
  await writeVideo(video);
  const sha256 = await hashOf(createReadStream(video));
  // Build the program first, because a build takes longer than the start timeout.
  await processes.run(['--version']);
  const service = await processes.start();
  const { token = '' } = await processes.ask(
    'setup',
    '--email',
    'owner@example.com',
    '--password',
    'a long password of a test',
    '--workspace',
    'Demo',
  );
  const ways: Record<string, (env: NodeJS.ProcessEnv) => Promise<{ id: string; bytes: number }>> = {
    SDK: async ({ POSTHORN_URL: baseUrl }) => new Posthorn({ baseUrl, token }).media.upload(await openAsBlob(video)),
    'posthorn call': (env) =>
      run(process.execPath, ['scripts/posthorn.mjs', 'call', 'media.upload', '--file', video], env),
    Python: (env) =>
      run('python3', ['-c', pythonProgram(video)], { ...env, PYTHONPATH: join(root, 'packages/python') }),
  };
  for (const [name, upload] of Object.entries(ways)) {
    const breaks = [1 / 3, 2 / 3].map((part) => part * megabytes * 1_000_000);
    const line = await openLine(processes.port, breaks);
    const startedAt = performance.now();
    const item = await upload({ POSTHORN_URL: line.url, POSTHORN_TOKEN: token });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    line.close();
    const { body } = await fetch(`${service.url}/media/${item.id}`);
    const isWhole = body !== null && (await hashOf(body)) === sha256;
    const repeated = ((line.total() - item.bytes) / 1_000_000).toFixed(1);
    console.log(
      `${name}: ${item.id}, ${item.bytes} bytes, ${seconds} s, ${repeated} MB sent twice, ${2 - breaks.length} breaks, ${isWhole ? 'whole' : 'NOT the same bytes'}`,
    );
    if (!isWhole || breaks.length > 0) process.exitCode = 1;
  }
} finally {
  await rm(video, { force: true });
  await processes.clear();
}
