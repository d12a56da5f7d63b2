import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'posthorn-';
/** Far more than a run needs at a time for databases, their logs, and pictures. */
const roomBytes = 4e9;
const dayMs = 24 * 60 * 60_000;

/** In a container it may be missing, limited to 64 MB, or mounted noexec. */
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

/** A killed run leaves its folder behind, which takes memory. */
const removeAbandoned = () => {
  for (const name of readdirSync(memory).filter((one) => one.startsWith(prefix))) {
    const { mtimeMs } = statSync(join(memory, name), { throwIfNoEntry: false }) ?? { mtimeMs: Infinity };
    if (mtimeMs < Date.now() - dayMs) rmSync(join(memory, name), { recursive: true, force: true });
  }
};

/**
 * A run creates and drops hundreds of databases, which takes most of its time on a disk.
 * Temporary files are in memory if there is room, unless TMPDIR is set.
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
