// The first start of a fresh clone: what is committed, nothing built, no data, with the packages there or yet to be installed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { startService, stopPid } from '../processes.mjs';
import { say } from '../table.mjs';

export const coldStarts = async (root, folder) => {
  const rows = [];
  for (const [name, install] of [
    ['cold, packages installed', false],
    ['cold, npm ci included', true],
  ]) {
    say(`${name} …`);
    const clone = join(folder, 'clone');
    try {
      copyCommitted(root, clone);
      if (!install) symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'));
      rows.push({ name, ...(await startIn(clone, folder)) });
    } catch (error) {
      // Without a registry there is no install.
      rows.push({ name, seconds: `not measured: ${error.message.split('\n').at(-1) || error.message}`, cpu: '' });
    } finally {
      rmSync(clone, { recursive: true, force: true });
    }
  }
  return rows;
};

const copyCommitted = (root, clone) => {
  const { stdout } = spawnSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
  for (const file of stdout.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true });
    cpSync(join(root, file), join(clone, file), { preserveTimestamps: true });
  }
};

const startIn = async (clone, folder) => {
  const begun = performance.now();
  const { pid } = await startService(
    join(clone, 'scripts/posthorn.mjs'),
    { POSTHORN_DATA: join(clone, 'data'), DATABASE_URL: '' },
    join(folder, `cold-${begun}.log`),
    coldMs,
  );
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  await stopPid(pid);
  return { seconds, cpu: '' };
};

/** npm ci over a slow line. */
const coldMs = 900_000;
