#!/usr/bin/env node
// The command `posthorn`. In a clone it installs what is missing and builds what changed, then runs.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** Those for callers of a server somewhere else load nothing of the server, and look at few files to see whether they are current. */
const isForCallers = ['call', 'profile', 'completion'].includes(process.argv[2]);
const isCurrent = () => {
  const changedMs = (path) => statSync(resolve(import.meta.dirname, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = ['../generated', '../generated/sdk/src', './call', './program'].flatMap((folder) => {
    const files = folder === '../generated' ? ['commands.ts'] : readdirSync(resolve(import.meta.dirname, folder));
    return files.map((file) => `${folder}/${file}`);
  });
  const builtMs = changedMs('../dist/cli.js');
  return builtMs > 0 && sources.every((path) => changedMs(path) <= builtMs);
};

if (existsSync(resolve(import.meta.dirname, '../server/cli/index.ts')) && !(isForCallers && isCurrent())) {
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
await import('../dist/cli.js');
