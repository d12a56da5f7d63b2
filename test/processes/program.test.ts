import { execFile } from 'node:child_process';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '#test/support/shared';

const root = resolve(import.meta.dirname, '../..');
const dist = join(root, 'dist');
const node = (...args: string[]) => promisify(execFile)(process.execPath, args);

beforeAll(() => buildProgram());

describe('what a command loads', () => {
  const atOnce = /^(?:import|export|\}) .*?"(.+)";$/gm;
  const everImported = /(?:^(?:import|export|\}) .*?|\bimport\()"(.+?)"/gm;

  /** A chunk and everything it imports this way, recursively. dist/ may also hold chunks of earlier builds. */
  const importsOf = async (name: string, pattern: RegExp, all = new Set<string>()) => {
    if (all.has(name)) return all;
    all.add(name);
    if (!name.startsWith('./')) return all;
    const text = await readFile(join(dist, name), 'utf8');
    for (const [, imported = ''] of text.matchAll(pattern)) await importsOf(imported, pattern, all);
    return all;
  };

  const chunkNamed = async (name: string) =>
    [...(await importsOf('./cli.js', everImported))].find((file) => file.startsWith(`./${name}-`)) ?? '';

  /** Loaded modules: our sources by path, packages by name. */
  const loadedBy = async (chunk: string) => {
    const all = [...(await importsOf(chunk, atOnce))];
    const maps = all.filter((name) => name.startsWith('./')).map((name) => readFile(join(dist, `${name}.map`), 'utf8'));
    const sources = (await Promise.all(maps)).flatMap((map): string[] => JSON.parse(map).sources);
    const packages = all.filter((name) => !/^(\.\/|node:)/.test(name));
    return [...sources.map((source) => relative(root, join(dist, source))), ...packages].toSorted();
  };

  test('is nothing of the service for the help', async () => {
    expect(await loadedBy('./cli.js')).toEqual(['scripts/cli.ts']);
    expect(await loadedBy(await chunkNamed('cli'))).toEqual([
      'server/wiring/cli/help.ts',
      'server/wiring/cli/index.ts',
    ]);
  });

  test.each([
    [
      'open-core',
      'server/delivery/publishing/due-post-store.ts',
      /^server\/networks\/|^server\/delivery\/publishing\/slice\.ts$|^contracts\/posts\.ts$|^agenda$/,
    ],
    ['providers', 'server/networks/x/index.ts', /^server\/networks\/.+\/sandbox/],
    ['open-files', 'server/media/s3-files.ts', /^server\/media\/(.+-store|slice)\.ts$/],
  ])('is no door, no model and no HTTP client for %s', async (chunk, needed, heavy) => {
    const loaded = await loadedBy(await chunkNamed(chunk));
    expect(loaded).toContain(needed);
    const tooMuch = /^server\/doors\/|^(express|undici|pino|sequelize)$/;
    expect(loaded.filter((name) => tooMuch.test(name) || heavy.test(name))).toEqual([]);
  });

  test('is no database, no door and no log for the twins', async () => {
    const loaded = await loadedBy(await chunkNamed('open-twins'));
    expect(loaded).toEqual(
      expect.arrayContaining(['server/networks/x/sandbox.ts', 'server/simulation/sandbox/memory-records.ts']),
    );
    const tooMuch = /^server\/(doors|base\/(store|jobs))\/|[/-]store\.ts$|^(pg|sequelize|mongodb|agenda|pino)$/;
    expect(loaded.filter((name) => tooMuch.test(name))).toEqual([]);
  });

  test('is of packages only what an installation without those for development has', async () => {
    const { dependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    const imported = [...(await importsOf('./cli.js', everImported))].filter((name) => !/^(\.\/|node:)/.test(name));
    const names = imported.map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '');
    expect(names).toEqual(expect.arrayContaining(['express', 'undici', 'mongodb', 'ai']));
    expect(names.filter((name) => !(name in dependencies))).toEqual([]);
  });
});

test('a stack of the program names our sources', async () => {
  const fault = "data:text/javascript,console.log = () => { throw new Error('planted') }";
  await expect(node('--import', fault, join(dist, 'cli.js'), '--help')).rejects.toMatchObject({
    stderr: expect.stringMatching(/^Error: planted[\s\S]+ at main \(.+\/server\/wiring\/cli\/index\.ts:\d+:\d+\)$/m),
  });
});

describe('a build', () => {
  let clone: string;
  const build = () => node(join(clone, 'scripts/build.mjs'));
  const at = (name: string) => join(clone, 'dist', name);
  const builtAt = async () => (await stat(at('cli.js'))).mtimeMs;

  beforeAll(async () => {
    clone = await mkdtemp(join(tmpdir(), 'posthorn-clone-'));
    await mkdir(join(clone, 'dist'));
    for (const name of ['contracts', 'generated', 'node_modules', 'packages', 'server', 'web'])
      await symlink(join(root, name), join(clone, name));
    for (const name of ['package.json', 'scripts']) await cp(join(root, name), join(clone, name), { recursive: true });
  });

  afterAll(() => rm(clone, { recursive: true }));

  test('keeps chunks for the processes of the build before, and removes what else it does not know', async () => {
    const before = ['used-AAAAAAAA.js', 'old-BBBBBBBB.js', 'package.json', 'cli.js.4999998', 'cli.js.4999999'];
    for (const name of before) await writeFile(at(name), 'throw new Error()');
    await utimes(at('old-BBBBBBBB.js'), 0, 0);
    await utimes(at('cli.js.4999998'), 0, 0);
    await build();
    const names = await readdir(join(clone, 'dist'));
    expect(before.filter((name) => names.includes(name))).toEqual(['used-AAAAAAAA.js', 'cli.js.4999999']);
    const { stdout } = await node(at('cli.js'), '--help');
    expect(stdout).toContain('posthorn <command>');
  });

  test('is made again when a source has changed, and only then', async () => {
    const first = await builtAt();
    await build();
    expect(await builtAt()).toBe(first);
    await appendFile(join(clone, 'package.json'), '\n');
    await build();
    expect(await builtAt()).toBeGreaterThan(first);
  });
});
