import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readConfig } from '#server/base/config/config';
import { announce, findRunning, runningIn } from '#server/operation/startup/running-instances';

const uid = process.getuid?.() ?? 0;
const url = 'http://localhost:1';
const note = `${process.pid}.json`;
let folder: string;
let shared: string;
let runtimeDir: string;
let dataDir: string;

beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'posthorn-running-')));
  [shared, runtimeDir, dataDir] = [join(folder, 'tmp'), join(folder, 'runtime'), join(folder, 'data')];
  for (const path of [shared, runtimeDir, dataDir]) await mkdir(path, { mode: 0o700 });
  vi.stubEnv('TMPDIR', shared);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const configWith = (settings: NodeJS.ProcessEnv = {}) => readConfig({ POSTHORN_DATA: dataDir, ...settings });
const ownFolder = () => join(shared, `posthorn-running-${uid}`);
const urls = (config = configWith()) => findRunning(config).map((one) => one.url);

test('a service is found until it withdraws, and its notes are for its user alone', async () => {
  const withdraw = announce(configWith(), url);
  expect([urls(), runningIn(dataDir).map((one) => one.url)]).toEqual([[url], [url]]);
  expect((await stat(ownFolder())).mode & 0o777).toBe(0o700);
  expect((await stat(join(ownFolder(), note))).mode & 0o777).toBe(0o600);
  withdraw();
  expect([urls(), runningIn(dataDir)]).toEqual([[], []]);
});

test('the folder of the session comes first, and a service without one is found too', async () => {
  const inSession = configWith({ XDG_RUNTIME_DIR: runtimeDir });
  announce(inSession, url);
  expect(await readdir(join(runtimeDir, 'posthorn'))).toEqual([note]);
  expect(await readdir(shared)).toEqual([]);
  announce(configWith(), url);
  expect(urls(inSession)).toEqual([url, url]);
});

test('a folder of the session that others may write to is not used', async () => {
  await chmod(runtimeDir, 0o777);
  announce(configWith({ XDG_RUNTIME_DIR: runtimeDir }), url);
  expect(await readdir(runtimeDir)).toEqual([]);
  expect(urls()).toEqual([url]);
});

test('a link in place of a note is replaced, and what it leads to stays as it was', async () => {
  const victim = join(folder, 'victim');
  await writeFile(victim, 'precious');
  for (const place of [ownFolder(), join(dataDir, 'running')]) {
    await mkdir(place, { mode: 0o700 });
    await symlink(victim, join(place, note));
  }
  announce(configWith(), url);
  expect(await readFile(victim, 'utf8')).toBe('precious');
  expect([urls(), runningIn(dataDir).map((one) => one.url)]).toEqual([[url], [url]]);
});

test('a link in place of a folder is not followed: nothing is written or removed there', async () => {
  const victim = join(folder, 'victim');
  await mkdir(victim, { mode: 0o700 });
  await writeFile(join(victim, '1.json'), '{"pid": 0}');
  for (const place of [ownFolder(), join(dataDir, 'running')]) await symlink(victim, place);
  announce(configWith(), url);
  expect(await readdir(victim)).toEqual(['1.json']);
});

test('only notes are removed from the folder of a data folder', async () => {
  await mkdir(join(dataDir, 'running'));
  for (const name of ['settings.json', '1.json']) await writeFile(join(dataDir, 'running', name), '{"pid": 0}');
  announce(configWith(), url);
  expect(await readdir(join(dataDir, 'running'))).toEqual([note, 'settings.json']);
});

const foreign: [string, (path: string) => Promise<void>][] = [
  ['that others may write to', (path) => chmod(path, 0o777)],
  ['that others may read', (path) => chmod(path, 0o755)],
  // Only root can give a folder away.
  ...(uid === 0 ? [['of another user', (path: string) => chown(path, 65534, 65534)] as const] : []),
] as [string, (path: string) => Promise<void>][];

test.each(foreign)('a folder %s is neither written nor believed', async (_, change) => {
  await mkdir(ownFolder());
  await change(ownFolder());
  announce(configWith(), url);
  expect(await readdir(ownFolder())).toEqual([]);
  // A note that somebody planted would lead commands to a data folder of theirs.
  await writeFile(join(ownFolder(), note), await readFile(join(dataDir, 'running', note), 'utf8'));
  expect(urls()).toEqual([]);
});
