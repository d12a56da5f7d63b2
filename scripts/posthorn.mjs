#!/usr/bin/env node
// The command `posthorn`. In a clone it installs what is missing and builds what changed, then runs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const hasSources = (path) => existsSync(resolve(import.meta.dirname, '..', path));

/** In a child process, so that the service does not keep the memory of a build. */
const run = (script) => {
  const { status } = spawnSync(process.execPath, [resolve(import.meta.dirname, script)], { stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(1);
};

if (hasSources('server/cli/index.ts')) {
  await import('./install.mjs');
  const { isBuilt } = await import('./build.mjs');
  if (!isBuilt()) run('build.mjs');
}
if (process.argv[2] === 'start' && hasSources('web/index.html')) {
  const { isWebBuilt } = await import('./build-web.mjs');
  if (!isWebBuilt()) run('build-web.mjs');
}
await import('../dist/cli.js');
