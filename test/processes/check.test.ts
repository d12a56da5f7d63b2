import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const check = resolve(import.meta.dirname, '../../scripts/check.mjs');
const passing = {
  ...Object.fromEntries(
    ['types:server', 'types:web', 'lint', 'generate', 'openapi', 'imports'].map((name) => [
      name,
      `echo ${name} is fine`,
    ]),
  ),
  results: 'true',
};

let tree: string;
beforeAll(async () => {
  tree = await mkdtemp(join(tmpdir(), 'posthorn-check-'));
});
afterAll(() => rm(tree, { recursive: true }));

const run = async (scripts: Record<string, string>) => {
  await writeFile(join(tree, 'package.json'), JSON.stringify({ scripts: { ...passing, ...scripts } }));
  return spawnSync(process.execPath, [check], { cwd: tree, encoding: 'utf8' });
};

test('the check passes where every step does, and shows none of their output', async () => {
  const { status, stdout, stderr } = await run({});
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe('Passed: types:server, lint, types:web, generate --check, openapi, imports, results.\n');
});

test.each(Object.keys(passing))('the check fails with %s, names it and shows what it printed', async (name) => {
  const { status, stdout, stderr } = await run({
    [name]: 'sh -c \'echo "one line"; echo "and $1" >&2; exit 3\' broken',
  });
  expect([status, stdout]).toEqual([1, '']);
  const step = name === 'generate' ? 'generate --check' : name;
  expect(stderr).toContain(`${step} failed:\none line\nand ${name === 'generate' ? '--check' : ''}\n`);
  expect(stderr).toContain(`Failed: ${step}. To run one alone: npm run ${step.replace(' ', ' -- ')}\n`);
  expect(stderr).not.toContain('is fine');
});

test('the check passes with old results, and warns about them', async () => {
  const { status, stderr } = await run({ results: 'echo "Warning: publish is old."' });
  expect([status, stderr]).toEqual([0, 'Warning: publish is old.\n']);
});

test('the check runs the steps after one that fails, and names all that fail', async () => {
  const { status, stderr } = await run({ 'types:server': 'exit 1', imports: 'echo "a wrong import"; exit 1' });
  expect(status).toBe(1);
  expect(stderr).toContain('a wrong import');
  expect(stderr).toContain('Failed: types:server, imports.');
});
