import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readSections } from './results.ts';

/** A section that is older says little about the service of today. */
const mostChanges = 100;

const gitIn = (root: string) => (args: readonly string[]) => {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
};

type Git = ReturnType<typeof gitIn>;

/** The line above each section of RESULTS.md, by the name of the section; undefined for what was never measured. */
const readHeadLines = (root: string) => {
  const folder = join(root, 'bench');
  const sections = readSections(readFileSync(join(folder, 'RESULTS.md'), 'utf8'));
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'measure.mjs')));
  return names.map((name) => ({ name, line: /^\*.+\*$/m.exec(sections.get(name) ?? '')?.[0] }));
};

/** What is wrong with the sections of bench/RESULTS.md, a sentence each. `ageOf` judges a commit of this history. */
const judgeSections = (root: string, git: Git, ageOf: (commit: string) => string | undefined) =>
  readHeadLines(root).flatMap(({ name, line }) => {
    if (line === undefined) return [`${name} has not been measured.`];
    const commit = / commit ([0-9a-f]+) of /.exec(line)?.[1];
    if (commit === undefined) return [`${name} names no commit.`];
    if (git(['merge-base', '--is-ancestor', commit, 'HEAD']) === undefined)
      return [`${name} measured ${commit}, which is not in the history of this branch.`];
    if (line.includes(' with uncommitted changes')) return [`${name} measured ${commit} with uncommitted changes.`];
    const age = ageOf(commit);
    return age === undefined ? [] : [`${name} measured ${commit}${age}.`];
  });

const judgeByChanges = (git: Git) => (commit: string) => {
  const changes = Number(git(['rev-list', '--count', `${commit}..HEAD`, '--', 'server']));
  return changes > mostChanges ? `; ${changes} commits changed server/ since then` : undefined;
};

const judgeByRelease = (git: Git, tag: string) => (commit: string) => {
  const isAfter = git(['merge-base', '--is-ancestor', tag, commit]) !== undefined;
  const isRelease = git(['rev-list', '--count', `${tag}..${commit}`]) === '0';
  return isAfter && !isRelease ? undefined : `, which is not after ${tag}`;
};

/** Sections whose figures may no longer be true. None where the history is not there, as in the sources of a release. */
export const findOldSections = (root: string): string[] => {
  const git = gitIn(root);
  if (git(['rev-parse', '--is-shallow-repository']) !== 'false') return [];
  return judgeSections(root, git, judgeByChanges(git));
};

/** The figures of a release are newer than the release before it; those of the first release are not old. */
export const mustBeMeasured = (root: string) => {
  const git = gitIn(root);
  const tag = git(['describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*']);
  const wrong = judgeSections(root, git, tag === undefined ? judgeByChanges(git) : judgeByRelease(git, tag));
  if (wrong.length > 0)
    throw new Error(
      `bench/RESULTS.md is too old for a release:\n${wrong.join('\n')}\nRun npm run bench for these, and commit.`,
    );
};
