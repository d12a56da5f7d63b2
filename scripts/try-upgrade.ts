// npm run try:upgrade -- <commit of the older release>
// Follows docs/upgrading.md as an operator would: starts the older release with data, then this one on the same folder,
// and goes back.
// Not part of `npm test`: it needs the history of the repository, and the registry for the packages of the older release.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createProcesses, type Running } from '#test/support/processes';
import { until } from '#test/support/until';

const [commit] = process.argv.slice(2);
if (commit === undefined) throw new Error('Name the commit of the older release: npm run try:upgrade -- <commit>');

const root = resolve(import.meta.dirname, '..');
const say = (...words: unknown[]) => console.log(...words);

const olderRoot = mkdtempSync(join(tmpdir(), 'posthorn-older-'));
const archive = execFileSync('git', ['archive', commit, '--', '.', ':!web/index.html', ':!docs/README.md'], {
  cwd: root,
  maxBuffer: 1_000_000_000,
});
execFileSync('tar', ['x', '-C', olderRoot], { input: archive });

const newer = await createProcesses(root);
const settings = { POSTHORN_DATA: newer.dataDir, PORT: String(newer.port) };
const older = await createProcesses(olderRoot, settings);
const person = { email: 'ada@example.com', password: 'correct horse' };

type Post = Awaited<ReturnType<Running['signIn']>>;

/** The first command installs the packages of the older release and compiles it. */
const setUp = async () => {
  const { email, password } = person;
  const { workspaceId = '' } = await older.ask('setup', '--email', email, '--password', password, '--workspace', 'Try');
  const { id = '' } = await older.ask('account', 'add', '--workspace', workspaceId, '--network', 'mastodon');
  return id;
};

const create = async (post: Post, accountId: string, body: string) => {
  const { id } = await post('/api/app/actions/posts.create', { accountIds: [accountId], body });
  return String(id);
};

const statusOf = async (post: Post, id: string) => String((await post('/api/app/actions/posts.get', { id })).status);

const publish = async (post: Post, accountId: string, body: string) => {
  const id = await create(post, accountId, body);
  await post('/api/app/actions/posts.publishNow', { id });
  await until(`${body} is out`, async () => (await statusOf(post, id)) === 'Published');
  say(`  published: ${body}`);
  return id;
};

const stop = async ({ kill, ended }: Running) => {
  kill('SIGTERM');
  assert.equal((await ended).code, 0);
};

try {
  say(`1. ${commit} with data`);
  const accountId = await setUp();
  let service = await older.start();
  let post = await service.signIn(person);
  const first = await publish(post, accountId, 'before the upgrade');
  const scheduled = await create(post, accountId, 'scheduled before the upgrade');
  const at = new Date(Date.now() + 7 * 86_400_000).toISOString();
  await post('/api/app/actions/posts.schedule', { id: scheduled, at });
  await stop(service);
  const copy = `${newer.dataDir}-before`;
  execFileSync('cp', ['-a', newer.dataDir, copy]);

  say('2. This release on the same folder');
  service = await newer.start();
  post = await service.signIn(person);
  assert.equal(await statusOf(post, first), 'Published');
  assert.equal(await statusOf(post, scheduled), 'Scheduled');
  const second = await publish(post, accountId, 'after the upgrade');
  const doctor = await newer.run(['doctor']);
  say(`  doctor ends with ${doctor.code}`);
  await stop(service);
  const backups = join(newer.dataDir, 'backups');
  const dumps = existsSync(backups) ? readdirSync(backups).filter((name) => name.startsWith('before-migration-')) : [];
  say(`  dumps before the migrations: ${dumps.join(', ') || 'none'}`);

  say(`3. Back to ${commit}`);
  const isBack = await older.start().then(
    (started) => {
      service = started;
      return true;
    },
    (error: Error) => {
      say(`  does not start: ${error.message.split('\n')[0]}`);
      return false;
    },
  );
  if (!isBack) {
    if ((await older.run(['help'])).stdout.includes('restore')) {
      const [dump = ''] = dumps;
      renameSync(join(newer.dataDir, 'database'), join(newer.dataDir, 'database-new'));
      const restore = await older.run(['restore', join(backups, dump)]);
      say(`  restore ends with ${restore.code}: ${(restore.stderr || restore.stdout).trim().split('\n').at(-1)}`);
      assert.equal(restore.code, 0);
    } else {
      say('  has no restore: the copy of the folder takes its place');
      renameSync(newer.dataDir, `${newer.dataDir}-new`);
      renameSync(copy, newer.dataDir);
    }
    service = await older.start();
  }
  post = await service.signIn(person);
  assert.equal(await statusOf(post, first), 'Published');
  assert.equal(await statusOf(post, scheduled), 'Scheduled');
  if (isBack) assert.equal(await statusOf(post, second), 'Published');
  await publish(post, accountId, 'after the way back');
  await stop(service);

  say('4. This release again');
  service = await newer.start();
  post = await service.signIn(person);
  assert.equal(await statusOf(post, first), 'Published');
  await stop(service);
  say('All as docs/upgrading.md says.');
} finally {
  await older.clear();
  await newer.clear();
  rmSync(olderRoot, { recursive: true });
}
