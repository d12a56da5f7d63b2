import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startService } from '#test/support/service';

/** The SDK as its users get it: packed, installed in an empty project, compiled under strict, and run. */

const root = resolve(import.meta.dirname, '..');
const script = `
import { ConflictError, isPosthornError, Posthorn, type Post } from 'posthorn-sdk';

const posthorn = new Posthorn({ token: process.env.TOKEN ?? '', baseUrl: process.env.URL ?? '' });
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

let service: Service;
const project = mkdtempSync(join(tmpdir(), 'posthorn-sdk-'));
beforeAll(async () => {
  service = await startService();
  await service.addAccount('x');
});
afterAll(async () => {
  rmSync(project, { recursive: true });
  await service.stop();
});

test('the packed SDK type-checks under strict in an empty project, and creates, edits, validates and lists posts', async () => {
  const run = (command: string, args: string[], cwd = project) =>
    execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  run('npm', ['pack', '--pack-destination', project], join(root, 'generated/sdk'));
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  run('npm', ['install', '--offline', '--no-audit', './posthorn-sdk-0.1.0.tgz']);
  symlinkSync(join(root, 'node_modules/@types'), join(project, 'node_modules/@types'));
  writeFileSync(join(project, 'use.ts'), script);
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
  run(join(root, 'node_modules/.bin/tsc'), [...strict, 'use.ts']);

  const { stdout } = await promisify(execFile)('node', ['use.js'], {
    cwd: project,
    env: { PATH: process.env.PATH, TOKEN: service.token, URL: service.url },
  });
  expect(JSON.parse(stdout)).toEqual([[{ code: 'TooLong', limit: 280, actual: 281 }], 409, true, 'Short']);
});
