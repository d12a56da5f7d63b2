import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

test('packages behind a linked node_modules are left alone', async () => {
  const tree = await mkdtemp(join(tmpdir(), 'posthorn-install-'));
  await cp(resolve(import.meta.dirname, '../scripts/install.mjs'), join(tree, 'scripts/install.mjs'));
  await mkdir(join(tree, 'elsewhere/a-package'), { recursive: true });
  await symlink('elsewhere', join(tree, 'node_modules'));
  await writeFile(join(tree, 'package-lock.json'), '{}');
  const { status, stderr } = spawnSync(process.execPath, [join(tree, 'scripts/install.mjs')], { encoding: 'utf8' });
  expect(status).toBe(1);
  expect(stderr).toContain('node_modules is a symbolic link');
  expect(await readdir(join(tree, 'elsewhere'))).toEqual(['a-package']);
  await rm(tree, { recursive: true });
});
