import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';

/** `npm ci` in a folder with packages of its own, if its lockfile has changed. */
export const installPackages = (folder: string) => {
  const changedMs = (file: string) => statSync(join(folder, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  // npm writes this file at the end of each install.
  if (changedMs('package-lock.json') <= changedMs('node_modules/.package-lock.json')) return;
  console.error(`Installing the packages of ${folder} (npm ci) …`);
  // Under `npm run` npm's own variables would point the install at the service's folder.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_config_local_prefix|npm_package_.*|INIT_CWD)$/.test(name)),
  );
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = spawnSync('npm', args, { cwd: folder, env, stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  console.error(error?.message ?? 'npm ci failed: see above.');
  process.exit(1);
};
