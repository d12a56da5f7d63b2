import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'posthorn-';
/** Far more than a run has at a time: databases, their logs, and pictures. */
const roomBytes = 4e9;
const dayMs = 24 * 60 * 60_000;

/** A container may have none, or 64 MB, or forbid to run programs there. */
const isUsable = () => {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .findLast((line) => line.split(' ')[1] === memory);
    const { bavail, bsize } = statfsSync(memory);
    return mount?.split(' ')[2] === 'tmpfs' && !/\bnoexec\b/.test(mount) && bavail * bsize > roomBytes;
  } catch {
    return false;
  }
};

/** A run that was killed removes nothing, and what it leaves here takes memory. */
const removeAbandoned = () => {
  for (const name of readdirSync(memory).filter((one) => one.startsWith(prefix))) {
    const { mtimeMs } = statSync(join(memory, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (mtimeMs < Date.now() - dayMs) rmSync(join(memory, name), { recursive: true, force: true });
  }
};

/**
 * A run makes hundreds of databases and throws them away, and a file system on a disk takes most of the time for that.
 * Temporary files are in memory where it has room, unless TMPDIR says where they go.
 */
export const useMemoryFolder = (): (() => void) => {
  if (process.env.TMPDIR || !isUsable()) return () => undefined;
  removeAbandoned();
  const folder = mkdtempSync(join(memory, prefix));
  chmodSync(folder, 0o711); // PostgreSQL may run as another user
  process.env.TMPDIR = folder;
  return () => {
    delete process.env.TMPDIR;
    // A browser may still write while it exits.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  };
};
