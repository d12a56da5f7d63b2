import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { build } from 'esbuild';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signWebhook } from '#packages/sdk/src/index';
import { freePort } from '#test/support/processes';
import { type Service, startService } from '#test/support/service';
import { until } from '#test/support/until';

/** The packages as their users get them: packed, installed in an empty project, compiled under strict, and run. */

const root = resolve(import.meta.dirname, '../..');
const project = mkdtempSync(join(tmpdir(), 'posthorn-sdk-'));
const tarball = (name: string) => join(project, `${name}-0.1.0.tgz`);
const run = (command: string, args: string[], cwd = project) =>
  execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const script = `
import { ConflictError, isPosthornError, Posthorn, type Post } from 'posthorn-sdk';

const posthorn = new Posthorn();
const said: unknown[] = [];
const { accounts } = await posthorn.accounts.list();
const post: Post = await posthorn.posts.create({ accountIds: accounts.map(({ id }) => id), body: 'a'.repeat(281) });
const change = { id: post.id, accountIds: post.accountIds, baseUpdatedAt: post.updatedAt };
try {
  await posthorn.posts.validate({ id: post.id });
} catch (error) {
  if (!isPosthornError(error, 'Invalid')) throw error;
  said.push(error.issues.map(({ code, limit, actual }) => ({ code, limit, actual })));
}
await posthorn.posts.update({ ...change, versions: [{ content: [{ body: 'Short' }] }] });
try {
  await posthorn.posts.update({ ...change, versions: [{ content: [{ body: 'Too late' }] }] });
} catch (error) {
  said.push(error instanceof ConflictError && error.status);
}
said.push((await posthorn.posts.validate({ id: post.id })).valid);
for await (const { versions } of posthorn.posts.listAll({ status: 'Draft' })) said.push(versions[0]?.content[0]?.body);
console.log(JSON.stringify(said));
// @ts-expect-error a field that the contract does not have
posthorn.posts.create({ text: 'x' }).catch(() => undefined);
`;

/** The receiver of the README, in a CommonJS project. */
const commonJs = `
import { createServer } from 'node:http';
import { type Post, Posthorn, verifyWebhook } from 'posthorn-sdk';
import sdk = require('posthorn-sdk');

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const event = await verifyWebhook(Buffer.concat(chunks), request.headers, 'whsec_1');
  await verifyWebhook(Buffer.concat(chunks), request.headers['posthorn-signature'], 'whsec_1');
  response.end(event.type);
});
const first = async (): Promise<Post | undefined> => (await new Posthorn().posts.list({ limit: 1 })).posts[0];
first().then((post) => console.log(JSON.stringify([typeof post?.id, sdk.Posthorn === Posthorn])));
`;

let service: Service;
beforeAll(async () => {
  service = await startService({}, { ownAddress: true });
  await service.connect('x');
  run('npm', ['pack', '--pack-destination', project, './packages/sdk', './packages/contract'], root);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  run('npm', [
    'install',
    '--offline',
    '--no-audit',
    '--legacy-peer-deps',
    tarball('posthorn-sdk'),
    tarball('posthorn-contract'),
  ]);
  for (const name of ['@types', 'zod', '@ts-rest'])
    symlinkSync(join(root, 'node_modules', name), join(project, 'node_modules', name));
});
afterAll(async () => {
  rmSync(project, { recursive: true });
  await service.stop();
});

const environment = () => ({ PATH: process.env.PATH, POSTHORN_TOKEN: service.token, POSTHORN_URL: service.url });
const runScript = async (...args: string[]) =>
  (await promisify(execFile)('node', args, { cwd: project, env: environment() })).stdout;
const compile = (...files: string[]) => {
  const strict = [
    '--strict',
    '--exactOptionalPropertyTypes',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
  ];
  run(join(root, 'node_modules/.bin/tsc'), [...strict, ...files]);
};

test('the packed SDK type-checks under strict in an empty project, and creates, edits, validates and lists posts; a CommonJS project requires it with its types', async () => {
  writeFileSync(join(project, 'use.ts'), script);
  writeFileSync(join(project, 'use-cjs.cts'), commonJs);
  compile('use.ts', 'use-cjs.cts');
  const said = JSON.parse(await runScript('use.js'));
  expect(said).toEqual([[{ code: 'TooLong', limit: 280, actual: 281 }], 409, true, 'Short']);
  expect(JSON.parse(await runScript('use-cjs.cjs'))).toEqual(['string', true]);
});

test.each(['posthorn-sdk', 'posthorn-contract'])('%s has nothing that publint or attw find', async (name) => {
  const bytes = new Uint8Array(readFileSync(tarball(name)));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  const { problems } = (await checkPackage(createPackageFromTarballData(bytes))) as { problems: unknown[] };
  expect(problems).toEqual([]);
});

test('a page that bundles the SDK carries less than 8 kB of it', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from 'posthorn-sdk';", resolveDir: project },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(8 * 1024);
});

test('a copy of its folder installs its one tool and is packed', () => {
  const { devDependencies, scripts } = JSON.parse(readFileSync(join(root, 'packages/sdk/package.json'), 'utf8'));
  const { devDependencies: ours } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(devDependencies).toEqual({ typescript: ours.typescript });
  expect(scripts.build).toMatch(/^tsc /);
  expect(scripts.prepack).toMatch(/ \(tsc --version \|\| npm install /);
});

const example = (name: string) => {
  writeFileSync(join(project, name), readFileSync(join(root, 'packages/sdk/examples', name)));
  return name;
};

test('the example drafts, says where a human publishes, and waits for the result', async () => {
  const program = spawn('node', [example('draft-and-wait.mjs')], { cwd: project, env: environment() });
  const said: string[] = [];
  createInterface(program.stdout).on('line', (line) => said.push(line));
  await until('it says where', async () => said.length === 1);
  const [, id] = /^Demo: publish it at http:\/\/127\.0\.0\.1:\d+\/posts\/(post_\w+)$/.exec(said[0] ?? '') ?? [];
  await service.startJobs();
  await service.asHuman('posts.publishNow', { id });
  expect((await once(program, 'exit'))[0]).toBe(0);
  await until('it says what became of it', () => said.length > 1);
  expect(said[1]).toMatch(/^Published http/);
});

test('the example uploads a file from disk with its progress', async () => {
  const picture = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#8a4b08' } })
    .jpeg()
    .toBuffer();
  writeFileSync(join(project, 'picture.jpg'), picture);
  expect(await runScript(example('upload.mjs'), 'picture.jpg')).toMatch(/^post_\w+ \[ 'media_\w+' \]\n$/);
});

test('the example receives webhooks, and refuses what is not signed', async () => {
  const port = await freePort();
  const env = { ...environment(), PORT: String(port), POSTHORN_WEBHOOK_SECRET: 'whsec_test' };
  const program = spawn('node', [example('webhook-receiver.mjs')], { cwd: project, env });
  const said: string[] = [];
  createInterface(program.stdout).on('line', (line) => said.push(line));
  await until('it listens', async () => said.length === 1);
  const body = JSON.stringify({ id: 'evt_1', type: 'post.failed', data: { post: { status: 'Failed' } } });
  const send = async (signature: string) =>
    (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body, headers: { 'posthorn-signature': signature } }))
      .status;
  const signature = await signWebhook(body, 'whsec_test');
  expect([await send(signature), await send(signature), await send('t=1,v1=00')]).toEqual([204, 204, 400]);
  await until('it says what came', () => said.length > 1);
  program.kill();
  await once(program, 'close');
  expect(said.slice(1)).toEqual(['post.failed Failed']);
});

test('the contract makes a ts-rest client that creates and reads a post', async () => {
  const use = `
import { initClient } from '@ts-rest/core';
import { rest } from 'posthorn-contract';

const baseHeaders = { authorization: \`Bearer \${process.env.POSTHORN_TOKEN}\` };
const client = initClient(rest.actions, { baseUrl: process.env.POSTHORN_URL ?? '', baseHeaders });
const made = await client['posts.create']({ body: { body: 'By contract' } });
if (made.status !== 200) throw new Error(String(made.status));
const { status, body } = await client['posts.publishNow']({ body: { id: made.body.id } });
console.log(JSON.stringify([made.body.status, status, status === 403 && body.code]));
`;
  writeFileSync(join(project, 'contract.ts'), use);
  run(join(root, 'node_modules/.bin/tsc'), [
    '--strict',
    '--skipLibCheck',
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--types',
    'node',
    'contract.ts',
  ]);
  expect(JSON.parse(await runScript('contract.js'))).toEqual(['Draft', 403, 'ApprovalRequired']);
});
