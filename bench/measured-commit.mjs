import { spawnSync } from 'node:child_process';

/** `1a2b3c4d of 2026-11-19`, or `unknown` where there is no repository, as in the sources of a release. */
export const commitOf = (root) => {
  const git = (...args) => {
    const { status, stdout } = spawnSync('git', args, {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, TZ: 'UTC' },
    });
    return status === 0 ? stdout.trim() : undefined;
  };
  // Sources unpacked inside another repository have nothing to do with its commits.
  if (git('rev-parse', '--show-prefix') !== '') return 'unknown';
  const commit = git('log', '-1', '--format=%h of %cd', '--date=format-local:%Y-%m-%d');
  if (commit === undefined) return 'unknown';
  // Pages are not measured, and a run of several sections changes RESULTS.md before it ends.
  const changes = git('status', '--porcelain', '--', '.', ':!*.md');
  return changes === '' ? commit : `${commit} with uncommitted changes`;
};
