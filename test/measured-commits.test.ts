import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const bench = resolve(import.meta.dirname, '../bench');
const importOf = (file: string) => import(pathToFileURL(join(bench, file)).href);
const { commitOf } = await importOf('measured-commit.mjs');
const { beginMeasuring, writeResult } = await importOf('results.mjs');

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'posthorn-commits-'));
  mkdirSync(join(tree, 'bench'));
});
afterEach(() => rmSync(tree, { recursive: true }));

const git = (...args: string[]) => {
  const identity = ['-c', 'user.name=Anna', '-c', 'user.email=anna@example.com', '-c', 'commit.gpgsign=false'];
  const env = { ...process.env, GIT_COMMITTER_DATE: '2026-11-19T00:30:00+02:00' };
  const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], { cwd: tree, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
};

const write = (file: string, text: string) => writeFileSync(join(tree, file), text);

const commit = (file: string, text: string) => {
  write(file, text);
  git('add', '-A');
  git('commit', '-q', '-m', file);
  return git('rev-parse', '--short', 'HEAD');
};

const measure = () => {
  const results = join(tree, 'bench/RESULTS.md');
  const measured = beginMeasuring(commitOf(tree));
  writeResult(results, ['rest'], 'rest', { text: '## rest\n\nFast.', values: {} }, measured());
  return readFileSync(results, 'utf8').split('## rest\n')[1] ?? '';
};

test('a section of the results names the commit that it measured, and uncommitted changes beside it', () => {
  expect(measure()).toContain(' UTC, commit unknown, ');
  git('init', '-q');
  const hash = commit('program.js', 'one');
  expect(measure()).toContain(` UTC, commit ${hash} of 2026-11-18, `);
  // The results of other sections and other pages are no change of what is measured.
  write('README.md', 'About');
  expect(measure()).toContain(` UTC, commit ${hash} of 2026-11-18, `);
  write('program.js', 'two');
  expect(measure()).toContain(` UTC, commit ${hash} of 2026-11-18 with uncommitted changes, `);
});

test('every committed section of the results names the commit that it measured', () => {
  const sections = readFileSync(join(bench, 'RESULTS.md'), 'utf8').split(/^## /m).slice(2);
  expect(sections.length).toBeGreaterThan(10);
  const named = /^\*.+ UTC, commit [0-9a-f]{7,} of \d{4}-\d\d-\d\d( with uncommitted changes)?, \d+ cores/m;
  expect(sections.filter((section) => !named.test(section))).toEqual([]);
});
