// npm run try:n8n [-- --keep]
// Tests the generated n8n package inside a real n8n, against a Posthorn of this clone, all of it on this machine.
// Not part of `npm test`: it needs the npm registry, and installs 3 GB into a temporary folder that it removes.
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { startEmbedded } from '#server/base/store/embedded';
import { createProcesses, freePort } from '#test/support/processes';
import { until } from '#test/support/until';

const software = 'n8n@2.41.1';
/** The newest release of linkedom needs a package that not every registry has. */
const overrides = { linkedom: '0.18.13' };
/** n8n needs Node 24, so this script installs a separate Node for it. */
const nodePackage = `node-${process.platform}-${process.arch}`;
const nodeVersion = '24';
const startTimeoutMs = 300_000;
const root = resolve(import.meta.dirname, '..');
const run = promisify(execFile);
const say = (...words: unknown[]) => console.log(...words);

const nodeIn = (folder: string) => join(folder, 'node_modules', nodePackage, 'bin/node');
const pathWith = (folder: string) => `${dirname(nodeIn(folder))}${delimiter}${process.env.PATH}`;

const install = async (folder: string) => {
  mkdirSync(folder, { recursive: true });
  if (existsSync(join(folder, 'ready'))) return;
  say(`Installing ${software} in ${folder}, which takes a few minutes …`);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, overrides }));
  const env = { ...process.env, PATH: pathWith(folder) };
  const npm = (...args: string[]) =>
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...args], {
      cwd: folder,
      maxBuffer: 100_000_000,
      env,
    });
  // From here on npm runs on this Node and selects packages for its version.
  await npm(`${nodePackage}@${nodeVersion}`);
  await npm(software);
  writeFileSync(join(folder, 'ready'), '');
};

/** Installs the nodes the way people install a community package manually. n8n itself provides n8n-workflow. */
const installNodes = async (home: string) => {
  const nodes = join(home, '.n8n/nodes');
  mkdirSync(nodes, { recursive: true });
  writeFileSync(join(nodes, 'package.json'), JSON.stringify({ private: true }));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', nodes], {
    cwd: join(root, 'packages/n8n'),
  });
  await run('npm', ['install', '--omit=peer', '--no-audit', '--no-fund', join(nodes, stdout.trim())], { cwd: nodes });
};

const node = (name: string, type: string, parameters: object, credentials: object = {}) => ({
  id: name,
  name,
  type,
  typeVersion: 1,
  position: [0, 0],
  parameters,
  credentials,
});

const posthorn = (name: string, resource: string, operation: string, parameters: object = {}) =>
  node(
    name,
    'n8n-nodes-posthorn.posthorn',
    { resource, operation, ...parameters },
    { posthornApi: { id: 'token', name: 'Posthorn' } },
  );

/** Nodes in a row. */
const workflow = (id: string, nodes: readonly ReturnType<typeof node>[]) => ({
  id,
  name: id,
  active: false,
  settings: {},
  nodes,
  connections: Object.fromEntries(
    nodes.slice(1).map(({ name }, index) => [nodes[index]?.name, { main: [[{ node: name, type: 'main', index: 0 }]] }]),
  ),
});

const actionsWorkflow = (base64: string) =>
  workflow('actions', [
    node('Start', 'n8n-nodes-base.manualTrigger', {}),
    {
      ...node('Picture', 'n8n-nodes-base.set', {
        mode: 'raw',
        jsonOutput: JSON.stringify({ base64 }),
      }),
      typeVersion: 3.4,
    },
    {
      ...node('File', 'n8n-nodes-base.convertToFile', {
        operation: 'toBinary',
        sourceProperty: 'base64',
        options: { fileName: 'horn.png', mimeType: 'image/png' },
      }),
      typeVersion: 1.1,
    },
    posthorn('Upload', 'media', 'upload', { binaryProperty: 'data', alt: 'A red square' }),
    posthorn('Accounts', 'accounts', 'list'),
    {
      ...posthorn('Draft', 'posts', 'create', {
        fields: {
          accountIds: '={{ [$json.id] }}',
          versions: '={{ [{ content: [{ body: "From n8n", media: [$("Upload").item.json.id] }] }] }}',
        },
      }),
      ...{ retryOnFail: true, maxTries: 2, waitBetweenTries: 0 },
    },
    posthorn('Check', 'posts', 'validate', { id: '={{ $json.id }}' }),
    posthorn('Ask', 'posts', 'publishNow', { id: '={{ $("Draft").item.json.id }}' }),
  ]);

const triggerWorkflow = (path: string) =>
  workflow('trigger', [
    {
      ...node(
        'Trigger',
        'n8n-nodes-posthorn.posthornTrigger',
        { events: ['post.published'] },
        { posthornWebhookApi: { id: 'secret', name: 'Posthorn Webhook' } },
      ),
      webhookId: path,
    } as ReturnType<typeof node>,
    posthorn('Note', 'posts', 'create', { fields: { body: '=n8n saw {{ $json.type }} of {{ $json.data.post.id }}' } }),
  ]);

/** Forwards to the service, but drops the response to the first call of an action, as a broken connection would. */
const openLossyLine = async (target: string, action: string) => {
  const calls: { key: string | undefined; replayed: boolean }[] = [];
  const line = createServer(async (req, res) => {
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = req.headers;
    const answer = await fetch(`${target}${req.url}`, {
      method: req.method ?? 'GET',
      headers: headers as Record<string, string>,
      ...(req.method === 'POST' && { body: await buffer(req) }),
    });
    const body = Buffer.from(await answer.arrayBuffer());
    if (req.url?.endsWith(action)) {
      const replayed = answer.headers.get('idempotency-replayed') === 'true';
      calls.push({ key: req.headers['idempotency-key'] as string | undefined, replayed });
      if (calls.length === 1) return req.socket.destroy();
    }
    res.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(body);
  }).listen(0, '127.0.0.1');
  await once(line, 'listening');
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    calls,
    close: () => {
      line.closeAllConnections();
      line.close();
    },
  };
};

const openN8n = (folder: string, home: string, database: Record<string, string>, port: number) => {
  const env = {
    PATH: pathWith(folder),
    HOME: home,
    N8N_USER_FOLDER: home,
    N8N_PORT: String(port),
    N8N_RUNNERS_BROKER_PORT: String(port + 1),
    N8N_LISTEN_ADDRESS: '127.0.0.1',
    N8N_ENCRYPTION_KEY: 'only-for-this-run',
    N8N_SECURE_COOKIE: 'false',
    // Nothing leaves this machine.
    N8N_DIAGNOSTICS_ENABLED: 'false',
    N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
    N8N_TEMPLATES_ENABLED: 'false',
    N8N_VERIFIED_PACKAGES_ENABLED: 'false',
    N8N_DYNAMIC_BANNERS_ENABLED: 'false',
    N8N_DISABLED_MODULES: 'mcp-registry',
    EXTERNAL_FRONTEND_HOOKS_URLS: '',
    ...database,
  };
  const program = join(folder, 'node_modules/n8n/bin/n8n');
  const command = (...args: string[]) =>
    run(nodeIn(folder), [program, ...args], { env, cwd: home, maxBuffer: 100_000_000 });
  const importFile = async (kind: 'credentials' | 'workflow', value: object) => {
    const file = join(home, `${kind}.json`);
    writeFileSync(file, JSON.stringify([value]));
    await command(`import:${kind}`, `--input=${file}`);
  };
  return {
    command,
    importFile,
    start: (): ChildProcess => spawn(nodeIn(folder), [program, 'start'], { env, cwd: home, stdio: 'ignore' }),
  };
};

const keep = process.argv.includes('--keep');
const folder = keep ? join(tmpdir(), 'posthorn-try-n8n') : mkdtempSync(join(tmpdir(), 'posthorn-try-n8n-'));
const closers: (() => unknown)[] = [];
const stop = async (child: ChildProcess) => {
  const gone = child.exitCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGTERM');
  await gone;
};

const tryIt = async () => {
  await install(folder);
  const home = mkdtempSync(join(folder, 'home-'));
  // PostgreSQL may run as another user.
  for (const one of [folder, home]) chmodSync(one, 0o711);
  await installNodes(home);

  const service = await createProcesses();
  closers.push(() => service.clear());
  const { url, call, signIn } = await service.start();
  const person = { email: 'owner@example.com', password: 'correct horse battery' };
  const { workspaceId = '', token = '' } = await service.ask(
    'setup',
    ...Object.entries({ ...person, workspace: 'Demo' }).flatMap(([name, value]) => [`--${name}`, value]),
  );
  await service.ask('account', 'add', '--workspace', workspaceId, '--network', 'bluesky', '--handle', 'demo');
  say(`Posthorn runs at ${url}`);

  const embedded = await startEmbedded(join(home, 'postgres'));
  closers.push(() => embedded.stop());
  const { host, user = '', password = '', database = 'postgres' } = embedded.config;
  const port = await freePort();
  const n8n = openN8n(
    folder,
    home,
    {
      DB_TYPE: 'postgresdb',
      DB_POSTGRESDB_HOST: host,
      DB_POSTGRESDB_USER: user,
      DB_POSTGRESDB_PASSWORD: String(password),
      DB_POSTGRESDB_DATABASE: database,
    },
    port,
  );
  const path = 'posthorn-events';
  const forward = `http://127.0.0.1:${port}/webhook/${path}/webhook`;
  const listening = service.open(['listen', '--workspace', workspaceId, '--forward', forward]);
  const secretLine = /Signing secret of this run: (whsec_\S+)/;
  await until('listen prints its secret', () => secretLine.test(listening.output.stdout));
  const secret = secretLine.exec(listening.output.stdout)?.[1];

  const line = await openLossyLine(url, 'posts.create');
  closers.push(line.close);
  await n8n.importFile('credentials', {
    id: 'token',
    name: 'Posthorn',
    type: 'posthornApi',
    data: { url: line.url, token },
  });
  await n8n.importFile('credentials', {
    id: 'secret',
    name: 'Posthorn Webhook',
    type: 'posthornWebhookApi',
    data: { secret },
  });
  const picture = await sharp({ create: { width: 400, height: 400, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  await n8n.importFile('workflow', actionsWorkflow(picture.toString('base64')));
  await n8n.importFile('workflow', triggerWorkflow(path));

  const { stdout } = await n8n.command('execute', '--id=actions', '--rawOutput');
  const { data } = JSON.parse(stdout.slice(stdout.indexOf('{')));
  const outputOf = (name: string) => data.resultData.runData[name]?.[0]?.data?.main[0][0].json;
  for (const name of ['Upload', 'Accounts', 'Draft', 'Check', 'Ask']) {
    say(`  ${name}: ${JSON.stringify(outputOf(name) ?? data.resultData.error)?.slice(0, 300)}`);
  }
  const draft = (await call(token, 'posts.get', { id: outputOf('Draft').id })).body;
  assert.equal(draft.status, 'Draft');
  assert.deepEqual((draft.versions as { content: { media: string[] }[] }[])[0]?.content[0]?.media, [
    outputOf('Upload').id,
  ]);
  const drafts = (await call(token, 'posts.list', { query: 'From n8n' })).body.posts as unknown[];
  say(`  The answer to the first try of Draft was lost: ${line.calls.length} calls, ${drafts.length} draft`);
  assert.deepEqual([line.calls.length, drafts.length, line.calls[1]?.replayed], [2, 1, true]);
  assert.equal(line.calls[0]?.key, line.calls[1]?.key);
  const { status, approvalUrl } = outputOf('Ask');
  assert.equal(status, 'pending_approval');

  await n8n.command('publish:workflow', '--id=trigger');
  const program = n8n.start();
  closers.push(() => stop(program));
  const deliverSignedWith = async (key: string) => {
    const body = JSON.stringify({ id: 'evt_1', type: 'post.published', data: { post: { id: 'forged' } } });
    const time = Math.floor(Date.now() / 1000);
    const signature = createHmac('sha256', key).update(`${time}.${body}`).digest('hex');
    const headers = { 'content-type': 'application/json', 'posthorn-signature': `t=${time},v1=${signature}` };
    const answer = fetch(forward, { method: 'POST', headers, body });
    return (await answer.catch(() => undefined))?.status;
  };
  // While it starts, n8n answers 200 to everything, then 404 until it has activated the workflow.
  const isRefused = async () => (await deliverSignedWith('whsec_another')) === 400;
  await until('the trigger refuses another secret', isRefused, startTimeoutMs);
  say('  A delivery signed with another secret: HTTP 400');

  const post = await signIn(person);
  await post(`/api/approvals/${String(approvalUrl).split('/').at(-1)}/approve`, {});
  const seen = `n8n saw post.published of ${draft.id}`;
  const notes = async () => JSON.stringify((await call(token, 'posts.list', { query: 'n8n saw' })).body);
  await until('the trigger ran', async () => (await notes()).includes(seen));
  assert.doesNotMatch(await notes(), /forged/);
  say(`  After approval the trigger wrote a draft: “${seen}”`);
  listening.child.kill('SIGINT');
  await listening.ended;
  say('\nAll of it worked.');
};

try {
  await tryIt();
} finally {
  for (const close of closers.reverse()) await close();
  if (!keep) rmSync(folder, { recursive: true });
}
