// Installs packages if package-lock.json has changed. Plain JavaScript, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { lstatSync, statSync } from 'node:fs';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
const changedMs = (path) => statSync(resolve(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;

// npm writes this file at the end of each install.
if (changedMs('package-lock.json') > changedMs('node_modules/.package-lock.json')) {
  // npm ci empties node_modules first. Through a symbolic link, it would delete the packages of another tree.
  if (lstatSync(resolve(root, 'node_modules'), { throwIfNoEntry: false })?.isSymbolicLink()) {
    console.error(
      'node_modules is a symbolic link, and its packages are older than package-lock.json. Run npm ci where it points to, or remove the link and run this again.',
    );
    process.exit(1);
  }
  console.error('Installing packages (npm ci) …');
  const npm = process.env.npm_execpath ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [command, ...args] = [...npm, 'ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) {
    console.error(error?.message ?? 'npm ci failed: see above.');
    process.exit(1);
  }
}
