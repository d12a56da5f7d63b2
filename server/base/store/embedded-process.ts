import { spawnSync } from 'node:child_process';
import fs from 'node:fs';

export interface Server {
  readonly pid: number;
  /** Empty until the server listens. */
  readonly socketDir: string;
}

/** The running server that holds this lock file of PostgreSQL, even if another process started it. */
export function serverHolding(lockFile: string): Server | undefined {
  const content = readIfThere(lockFile);
  const [pidText, data = '', , , socketDir = ''] = content.split('\n');
  const pid = Number(pidText);
  if (!isAlive(pid)) return undefined;
  const command = commandOf(pid);
  if (command === undefined || (command.includes('postgres') && command.includes(data))) return { pid, socketDir };
  // The server crashed, and its pid now belongs to a zombie or another program. postgres would take that for a running
  // server and refuse to start, so the lock file is removed.
  if (readIfThere(lockFile) === content) fs.rmSync(lockFile, { force: true });
  return undefined;
}

export function isAlive(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Distinguishes a process from a later one with the same pid; empty where the system does not tell. */
export const startTimeOf = (pid: number): string => {
  try {
    return (
      fs
        .readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    );
  } catch {
    return '';
  }
};

/** Its command line; empty for a zombie, undefined where the system does not tell. */
function commandOf(pid: number): string | undefined {
  if (fs.existsSync('/proc/self/cmdline')) return readIfThere(`/proc/${pid}/cmdline`);
  const { status, stdout } = spawnSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}

function readIfThere(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}
