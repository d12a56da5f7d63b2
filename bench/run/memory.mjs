import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageFrom, startFile } from '../processes.mjs';

export const startEmptyNode = async () => {
  const empty = startFile('run/empty.mjs');
  await messageFrom(empty);
  return empty;
};

/** Pages that processes share are divided among them. Undefined where /proc does not tell. */
export const megabytesOf = (pids) => {
  // A process of PostgreSQL may have exited since it was listed.
  const kB = pids.map(kilobytesOf).filter((size) => size !== undefined);
  return kB.length === 0 ? undefined : (kB.reduce((sum, each) => sum + each, 0) * 1024) / 1e6;
};

const kilobytesOf = (pid) => {
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]);
  } catch {
    return undefined;
  }
};

export const postmasterIn = (data) =>
  Number(readFileSync(join(data, 'database/pg/postmaster.pid'), 'utf8').split('\n')[0]);

export const withChildren = (pids) => {
  const all = new Set(pids);
  const running = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const parents = running.map((pid) => [Number(pid), parentOf(pid)]);
  for (let size = 0; size !== all.size; ) {
    size = all.size;
    for (const [pid, parent] of parents) if (all.has(parent)) all.add(pid);
  }
  return [...all];
};

/** Undefined if the process has exited meanwhile. */
const parentOf = (pid) => {
  try {
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
};
