#!/usr/bin/env node
// The command `posthorn`. In a clone it installs what is missing and builds what changed, then runs. Neither this nor what it
// then loads is an ES module, so that a command does not wait for Node's loader of modules.
const { existsSync } = require('node:fs');
const { resolve } = require('node:path');

const [, , command] = process.argv;
const isThere = (path) => existsSync(resolve(__dirname, '..', path));

const prepare = async () => {
  const { isBuilt } = require('./built-from.cjs');
  if (!isBuilt(command)) {
    await import('./install.mjs');
    await import('./build.mjs');
  }
  if (command === 'start' && isThere('web/index.html')) await prepareWeb();
};

/** In a process of its own: the service should not carry the memory of a build. */
const prepareWeb = async () => {
  const { isWebBuilt } = await import('./build-web.mjs');
  if (isWebBuilt()) return;
  const { spawnSync } = require('node:child_process');
  const script = resolve(__dirname, 'build-web.mjs');
  if (spawnSync(process.execPath, [script], { stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1);
};

const main = async () => {
  if (isThere('server/cli/index.ts')) await prepare();
  require('../dist/cli.js');
};

main();
