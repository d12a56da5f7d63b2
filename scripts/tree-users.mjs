import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Processes of Posthorn that run from this folder, without this command: they load packages and chunks while they run.
 * Read from /proc, because a note would need a folder that both the service and the command may write to. None elsewhere.
 */
export const findTreeUsers = (root) => {
  const programs = ['scripts/posthorn.mjs', 'dist/cli.js'].map((path) => realOf(join(root, path)));
  return processIds().filter((pid) => pid !== process.pid && pid !== process.ppid && programs.includes(programOf(pid)));
};

const processIds = () => {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
};

/** The script that Node runs; undefined for other programs, and for those that we may not look at. */
const programOf = (pid) => {
  try {
    const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const script = args.find((arg) => !arg.startsWith('-'));
    return script && realOf(resolve(readlinkSync(`/proc/${pid}/cwd`), script));
  } catch {
    return undefined;
  }
};

const realOf = (path) => {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};
