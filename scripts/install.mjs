// Installs packages if package-lock.json has changed. Plain JavaScript, because it runs before anything is installed.
import './node-version.mjs';
import { spawnSync } from 'node:child_process';
import { lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { findTreeUsers } from './tree-users.mjs';

const root = resolve(import.meta.dirname, '..');
const statsOf = (path) => statSync(resolve(root, path), { throwIfNoEntry: false });
const changedMs = (path) => statsOf(path)?.mtimeMs ?? 0;

const refuse = (message) => {
  console.error(message);
  process.exit(1);
};

/** Does nothing if the packages are those of package-lock.json. */
export const installPackages = ({ mayUpdate }) => {
  // npm writes this file at the end of each install.
  if (changedMs('package-lock.json') <= changedMs('node_modules/.package-lock.json')) return;
  const [user] = findTreeUsers(root);
  const outdated = `The packages in ${resolve(root, 'node_modules')} are older than package-lock.json`;
  if (user !== undefined) {
    refuse(
      `${outdated}, and a Posthorn that runs from this folder uses them (process ${user}). Stop it, then start it again with \`npm start\`, which installs them.`,
    );
  }
  // npm ci empties node_modules first. Through a symbolic link, it would delete the packages of another tree.
  if (lstatSync(resolve(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    refuse(
      'node_modules is a symbolic link, and its packages are older than package-lock.json. Run npm ci where it points to, or remove the link and run this again.',
    );
  }
  if (!mayUpdate && statsOf('node_modules') !== undefined) {
    refuse(`${outdated}. Run \`npm ci\`, or \`npm start\`, which installs them too.`);
  }
  console.error('Installing packages (npm ci) …');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) refuse(error?.message ?? 'npm ci failed: see above.');
};

if (process.argv[1] === import.meta.filename) installPackages({ mayUpdate: true });
