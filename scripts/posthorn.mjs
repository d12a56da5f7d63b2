#!/usr/bin/env node
// The command `posthorn`. In a clone, `start` installs packages that changed, and every command builds what changed.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const hasSources = (path) => existsSync(resolve(import.meta.dirname, '..', path));

/** In a child process, so that the service does not keep the memory of a build. */
const run = (script) =>
  spawnSync(process.execPath, [resolve(import.meta.dirname, script)], { stdio: ['ignore', 2, 2] }).status === 0;

const mustRun = (script) => {
  if (!run(script)) process.exit(1);
};

// A worker of a running service uses what its parent uses.
const isWorker = process.env.NODE_UNIQUE_ID !== undefined;
const isStart = process.argv[2] === 'start' && !isWorker;

if (hasSources('server/wiring/cli/index.ts') && !isWorker) {
  const { installPackages } = await import('./install.mjs');
  installPackages({ mayUpdate: isStart });
  const { isBuilt } = await import('./build.mjs');
  if (!isBuilt()) mustRun('build.mjs');
}
if (isStart && hasSources('web/index.html')) {
  const { isWebBuilt } = await import('./build-web.mjs');
  if (!isWebBuilt()) mustRun('build-web.mjs');
}
if (isStart && hasSources('docs/README.md')) {
  const { isHelpBuilt } = await import('./build-help.mjs');
  // Posthorn also starts without the help site, so a failed build is ignored.
  if (!isHelpBuilt()) run('build-help.mjs');
}
await import('../dist/cli.js');
