// Plain JavaScript, because the benchmarks run before anything is installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

/** It has the packages of other people that Posthorn is measured and tried with. */
const toolsFolder = resolve(import.meta.dirname, '../bench');

const at = (path) => resolve(toolsFolder, path);
const changedMs = (path) => statSync(at(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** What the figures need, or everything: foreign clients and API tools too. */
const isInstalled = (everything) => {
  const { devDependencies } = JSON.parse(readFileSync(at('package.json'), 'utf8'));
  const needed = everything ? Object.keys(devDependencies) : [];
  return (
    // npm writes this file at the end of each install.
    changedMs('package-lock.json') <= changedMs('node_modules/.package-lock.json') &&
    needed.every((name) => existsSync(at(`node_modules/${name}`)))
  );
};

/** `npm ci` in bench/, if its lockfile has changed or something is missing. */
export const installTools = ({ everything }) => {
  if (isInstalled(everything)) return;
  console.error('Installing the packages of bench/ (npm ci) …');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  if (!everything) args.push('--omit=dev');
  // Under `npm run` npm's own variables would point the install at the service's folder.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_config_local_prefix|npm_package_.*|INIT_CWD)$/.test(name)),
  );
  const { status, error } = spawnSync(command, args, { cwd: toolsFolder, env, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(error?.message ?? 'npm ci failed: see above.');
  process.exit(1);
};

if (process.argv[1] === import.meta.filename) installTools({ everything: true });
