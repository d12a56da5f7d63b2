#!/usr/bin/env node
// The command `posthorn`. In a clone it installs what is missing and compiles what changed, then runs.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { resolve } from 'node:path';

if (existsSync(resolve(import.meta.dirname, '../server/cli.ts'))) {
  await import('./install.mjs');
  await import('./build.mjs');
}
// Node 22 and later keep what they compiled for the next command.
module.enableCompileCache?.();
process.setSourceMapsEnabled(true);
await import('../dist/cli.js');
