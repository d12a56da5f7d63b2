#!/usr/bin/env node
// The command `posthorn`. In a clone it installs what is missing and builds what changed, then runs.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import module from 'node:module';
import { resolve } from 'node:path';

if (existsSync(resolve(import.meta.dirname, '../server/cli/index.ts'))) {
  await import('./install.mjs');
  await import('./build.mjs');
  // In a process of its own: the service should not carry the memory of a build.
  if (process.argv[2] === 'start' && existsSync(resolve(import.meta.dirname, '../web/index.html'))) {
    const { isWebBuilt } = await import('./build-web.mjs');
    const script = resolve(import.meta.dirname, 'build-web.mjs');
    if (!isWebBuilt() && spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] }).status !== 0)
      process.exit(1);
  }
}
// Node 22 and later keep what they compiled for the next command.
module.enableCompileCache?.();
process.setSourceMapsEnabled(true);
await import('../dist/cli.js');
