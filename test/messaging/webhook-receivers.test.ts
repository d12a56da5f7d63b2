import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '#test/support/processes';
import { trustedCertificate } from '#test/support/receiver';
import { type Service, startService } from '#test/support/service';
import { newTeam, type TeamWebhook } from '#test/support/teams';
import { until } from '#test/support/until';

// The receivers that docs/webhooks.md shows, as programs of their own.
const root = resolve(import.meta.dirname, '../..');
const names = ['receiver-sdk.mjs', 'receiver-node.mjs', 'receiver.py', 'receiver-standard.mjs'] as const;
const hasPython = spawnSync('python3', ['--version']).status === 0;

let service: Service;
let dir: string;
let page: string;
const ports = new Map<string, number>();
/** A TLS-terminating proxy in front of each receiver. */
const proxies = new Map<string, Server>();
const certificate = trustedCertificate();
const addressOf = (name: string) => `127.0.0.1:${(proxies.get(name)?.address() as AddressInfo | undefined)?.port}`;
const children: ChildProcess[] = [];

beforeAll(async () => {
  page = await readFile(join(root, 'docs/webhooks.md'), 'utf8');
  dir = await mkdtemp(join(tmpdir(), 'posthorn-receivers-'));
  for (const name of names) {
    const port = await freePort();
    ports.set(name, port);
    const proxy = createServer(certificate, (outside) => {
      const inside = connect(port, '127.0.0.1');
      inside.on('error', () => outside.destroy());
      outside.on('error', () => inside.destroy());
      outside.pipe(inside).pipe(outside);
    }).listen(0, '127.0.0.1');
    proxies.set(name, proxy);
    await once(proxy, 'listening');
  }
  service = await startService({ ...certificate.settings, OUTBOUND_ALLOW: names.map(addressOf).join(',') });
  service.startJobs();
});

afterAll(async () => {
  await service.stop();
  for (const child of children) child.kill();
  for (const proxy of proxies.values()) proxy.close();
  certificate.remove();
  await rm(dir, { recursive: true });
});

const sampleOf = (name: string) => {
  const code = new RegExp(`^\`\`\`\\w+ ${name}\n(.*?)^\`\`\`$`, 'ms').exec(page)?.[1];
  if (code === undefined) throw new Error(`docs/webhooks.md has no ${name}`);
  return code;
};

/** With the packages it imports; the SDK from its sources. */
const programOf = async (name: string): Promise<[string, string[]]> => {
  if (name.endsWith('.py')) return ['python3', ['-c', sampleOf(name)]];
  const outfile = join(dir, name);
  await build({
    stdin: { contents: sampleOf(name), resolveDir: root },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    alias: { 'posthorn-sdk': join(root, 'packages/sdk/src/index.ts') },
    logLevel: 'silent',
  });
  return [process.execPath, [outfile]];
};

const run = async (name: string, secret: string) => {
  const port = ports.get(name);
  const [command, args] = await programOf(name);
  const env = { PATH: process.env.PATH, PORT: String(port), WEBHOOK_SECRET: secret };
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      said += text;
    });
  }
  const post = (headers: Record<string, string>, body: string) =>
    fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  await until(`${name} listens`, () =>
    post({}, '{}').then(
      () => true,
      () => child.exitCode !== null,
    ),
  );
  expect(child.exitCode, said).toBeNull();
  const end = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { said: () => said, post, end };
};

const delivered = async (webhook: TeamWebhook) => {
  const { id, eventId } = await webhook.test();
  const find = async () => (await webhook.log()).find((one: { id: string }) => one.id === id);
  await until('it was tried', async () => (await find()).attempts === 1);
  return { eventId, ...(await find()) };
};

describe.each(names)('%s of docs/webhooks.md', (name) => {
  test.skipIf(name.endsWith('.py') && !hasPython)('takes what Posthorn sends and nothing else', async () => {
    const team = await newTeam(service);
    const webhook = await team.addWebhook(`https://${addressOf(name)}/`);
    const receiver = await run(name, webhook.secret);
    const { eventId, ...good } = await delivered(webhook);
    expect(good).toMatchObject({ state: 'delivered', lastAnswer: 'HTTP 204' });
    await until('it says so', () => receiver.said().includes(`ping ${eventId}`));

    for (const headers of [
      {},
      { 'posthorn-signature': 'nonsense' },
      { 'posthorn-signature': `t=${Math.floor(Date.now() / 1000)},v1=${'0'.repeat(64)}` },
      { 'webhook-id': 'evt_1', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
    ] as Record<string, string>[]) {
      expect((await receiver.post(headers, '{"type":"ping","id":"evt_forged"}')).status).toBe(400);
    }
    expect(receiver.said()).not.toContain('evt_forged');

    // The old secret is in place for a day, then only the new one is good.
    const fresh = await webhook.rotate();
    expect(await delivered(webhook)).toMatchObject({ state: 'delivered' });
    await receiver.end();
    await service.clock.forward(25 * 3_600_000);
    const late = await run(name, webhook.secret);
    expect(await delivered(webhook)).toMatchObject({ state: 'pending', lastAnswer: 'HTTP 400' });
    await late.end();
    await run(name, fresh);
    expect(await delivered(webhook)).toMatchObject({ state: 'delivered' });
  });
});
