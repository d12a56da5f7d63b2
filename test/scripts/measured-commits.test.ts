import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findOldSections, mustBeMeasured } from '#scripts/measured-commits';

const bench = resolve(import.meta.dirname, '../../bench');
const importOf = (file: string) => import(pathToFileURL(join(bench, file)).href);
const { commitOf } = await importOf('measured-commit.mjs');
const { beginMeasuring, writeResult } = await importOf('results.mjs');

let tree: string;
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'posthorn-commits-'));
  mkdirSync(join(tree, 'bench/rest'), { recursive: true });
  mkdirSync(join(tree, 'server'));
  write('bench/rest/measure.mjs', '');
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

const measureAndCommit = () => {
  measure();
  return commit('bench/rest/measure.mjs', `${Math.random()}`);
};

const release = () => mustBeMeasured(tree);

/** Changes the service that many times, in one process of git. */
const changeServer = (times: number) => {
  const branch = `refs/heads/${git('branch', '--show-current')}`;
  const commits = Array.from({ length: times }, (_, i) => {
    const parent = i === 0 ? `from ${branch}^0\n` : '';
    const message = 'committer Anna <anna@example.com> now\ndata 6\nserver\n';
    return `commit ${branch}\n${message}${parent}M 644 inline server/a.ts\ndata ${`${i}`.length}\n${i}\n`;
  });
  const options = { cwd: tree, input: commits.join('\n'), encoding: 'utf8' } as const;
  const { status, stderr } = spawnSync('git', ['fast-import', '--quiet', '--date-format=now'], options);
  expect(status, stderr).toBe(0);
  git('reset', '-q', '--hard');
};

test('a release is refused while a section measured a commit that is not after the release before', () => {
  git('init', '-q');
  commit('server/a.ts', 'one');
  measureAndCommit();
  git('tag', 'v0.1.0');
  expect(release).toThrow(/rest measured [0-9a-f]+, which is not after v0\.1\.0\./);
  measureAndCommit();
  expect(release, 'it measured the release itself').toThrow('which is not after v0.1.0.');
  measureAndCommit();
  expect(release).not.toThrow();
});

test('a release is refused while a section is missing, names no commit, another history or uncommitted changes', () => {
  git('init', '-q');
  commit('server/a.ts', 'one');
  commit('bench/RESULTS.md', '# Results\n');
  expect(release).toThrow('rest has not been measured.');
  commit('bench/RESULTS.md', '# Results\n\n## rest\n\n*now, commit unknown, 2 cores*\n');
  expect(release).toThrow('rest names no commit.');
  write('server/a.ts', 'two');
  measureAndCommit();
  expect(release).toThrow(/rest measured [0-9a-f]+ with uncommitted changes\./);
  measureAndCommit();
  expect(release).not.toThrow();
  const here = git('branch', '--show-current');
  git('checkout', '-q', '-b', 'other');
  commit('server/a.ts', 'three');
  measureAndCommit();
  git('checkout', '-q', here);
  git('checkout', '-q', 'other', '--', 'bench/RESULTS.md');
  git('commit', '-q', '-m', 'results of the other branch');
  expect(release).toThrow(/rest measured [0-9a-f]+, which is not in the history of this branch\./);
});

test('the check warns of a section once more than a hundred commits changed the service, and the first release is refused', () => {
  git('init', '-q');
  commit('server/a.ts', 'one');
  measureAndCommit();
  changeServer(100);
  expect(findOldSections(tree)).toEqual([]);
  expect(release).not.toThrow();
  commit('docs.md', 'This is not the service.');
  expect(findOldSections(tree)).toEqual([]);
  commit('server/a.ts', 'two');
  expect(findOldSections(tree)).toEqual([
    expect.stringMatching(/^rest measured [0-9a-f]+; 101 commits changed server\/ since then\.$/),
  ]);
  expect(release).toThrow('101 commits changed server/ since then.');
  git('clone', '-q', '--depth', '1', `file://${tree}`, 'shallow');
  expect(findOldSections(join(tree, 'shallow')), 'a clone without the history cannot know').toEqual([]);
});
