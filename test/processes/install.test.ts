import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
let tree: string;

/** A clone whose npm only notes that it ran, and whose service waits. */
beforeEach(async () => {
  tree = await mkdtemp(join(tmpdir(), 'posthorn-install-'));
  await cp(join(root, 'scripts'), join(tree, 'scripts'), { recursive: true });
  await mkdir(join(tree, 'server/wiring/cli'), { recursive: true });
  await mkdir(join(tree, 'dist'));
  await writeFile(join(tree, 'server/wiring/cli/index.ts'), '');
  await writeFile(join(tree, 'package-lock.json'), '{}');
  await writeFile(join(tree, 'npm.mjs'), "import { writeFileSync } from 'node:fs'; writeFileSync('npm-ran', '');");
  await writeFile(join(tree, 'dist/cli.js'), "console.log('runs'); setInterval(() => undefined, 1000);");
});
afterEach(() => rm(tree, { recursive: true }));

const run = (file: string, ...args: string[]) => runNode([join(tree, file), ...args]);
const runNode = (args: readonly string[]) =>
  spawnSync(process.execPath, args, {
    encoding: 'utf8',
    cwd: tree,
    env: { PATH: process.env.PATH, npm_execpath: join(tree, 'npm.mjs') },
  });
const hasInstalled = async () => (await readdir(tree)).includes('npm-ran');

const addOldPackages = async () => {
  await mkdir(join(tree, 'node_modules'));
  await writeFile(join(tree, 'node_modules/.package-lock.json'), '{}');
  await utimes(join(tree, 'node_modules/.package-lock.json'), 1, 1);
};

const whileServiceRuns = async (work: (pid: number | undefined) => Promise<void>) => {
  const service = spawn(process.execPath, ['dist/cli.js', 'start'], { cwd: tree });
  await once(service.stdout, 'data');
  try {
    await work(service.pid);
  } finally {
    service.kill('SIGKILL');
    await once(service, 'close');
  }
};

test('packages behind a linked node_modules are left alone', async () => {
  await mkdir(join(tree, 'elsewhere/a-package'), { recursive: true });
  await symlink('elsewhere', join(tree, 'node_modules'));
  const { status, stderr } = run('scripts/install.mjs');
  expect(status).toBe(1);
  expect(stderr).toContain('node_modules is a symbolic link');
  expect(await readdir(join(tree, 'elsewhere'))).toEqual(['a-package']);
});

describe('packages that are older than package-lock.json', () => {
  beforeEach(addOldPackages);

  test.skipIf(process.platform !== 'linux').each(['restore', 'doctor', 'start'])(
    'are left to the service that runs on them: %s says to stop it',
    async (command) => {
      await whileServiceRuns(async (pid) => {
        const { status, stderr } = run('scripts/posthorn.mjs', command);
        expect(stderr).toMatch(/^The packages in \S+node_modules are older than package-lock\.json, and a Posthorn/);
        expect(stderr).toContain(`(process ${pid}). Stop it, then start it again with \`npm start\``);
        expect([status, await hasInstalled()]).toEqual([1, false]);
      });
    },
  );

  test('are replaced by start alone; another command says how', async () => {
    const { status, stderr } = run('scripts/posthorn.mjs', 'restore');
    expect(stderr).toMatch(
      /are older than package-lock\.json\. Run `npm ci`, or `npm start`, which installs them too\.$/m,
    );
    expect([status, await hasInstalled()]).toEqual([1, false]);
    // The copy has no sources to build afterwards.
    expect(run('scripts/posthorn.mjs', 'start').stderr).toMatch(/^Installing packages/);
    expect(await hasInstalled()).toBe(true);
  });
});

test('any command installs the packages of a new clone', async () => {
  expect(run('scripts/posthorn.mjs', 'setup').stderr).toMatch(/^Installing packages/);
  expect(await hasInstalled()).toBe(true);
});

describe('on a Node that is too old', () => {
  const entryPoints = ['posthorn.mjs', 'install.mjs', 'build.mjs', 'build-web.mjs', 'build-help.mjs', 'check.mjs'];
  const runOn = (version: string, file: string) => {
    const pretend = `Object.defineProperty(process,'version',{value:'${version}'})`;
    return runNode([`--import=data:text/javascript,${pretend}`, join(tree, file)]);
  };

  test.each(entryPoints)('scripts/%s says which one it needs, and does nothing else', async (name) => {
    const { status, stderr, stdout } = runOn('v18.20.4', join('scripts', name));
    expect(stderr).toBe(
      'Posthorn needs Node 20.19 or later; this is 18.20.4. Install a newer one from https://nodejs.org.\n',
    );
    expect([status, stdout, await hasInstalled()]).toEqual([1, '', false]);
  });

  test('which ones are too old is what package.json says', async () => {
    const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
    expect(engines.node).toBe('^20.19 || >=22.12');
    const isRefused = (version: string) => runOn(version, 'scripts/node-version.mjs').status === 1;
    const versions = ['v20.18.1', 'v20.19.0', 'v21.7.3', 'v22.11.0', 'v22.12.0', 'v23.0.0', 'v24.1.0'];
    expect(versions.filter(isRefused)).toEqual(['v20.18.1', 'v21.7.3', 'v22.11.0']);
  });
});
