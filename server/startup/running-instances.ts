import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive, startTimeOf } from '#server/store/embedded-process';

/**
 * A service that runs on this machine. Commands in other terminals look for it, and so does a second service on the
 * same folder.
 */
export interface Instance {
  readonly pid: number;
  /** Start time of the process, which distinguishes it from a later one with the same pid; empty where the system does not tell. */
  readonly began: string;
  readonly url: string;
  readonly dataDir: string;
  /** Whether its database is below dataDir. */
  readonly embedded: boolean;
}

const uid = process.getuid?.() ?? 0;
/** Per user. */
const userFolder = () => join(tmpdir(), `posthorn-running-${uid}`);
const dataFolder = (dataDir: string) => join(dataDir, 'running');

/** All instances of this user. */
export const findRunning = (): Instance[] => (isOwn(userFolder()) ? readFrom(userFolder()) : []);

/** The instances on this data folder. */
export const runningIn = (dataDir: string): Instance[] => readFrom(dataFolder(dataDir));

/** Returns a function that withdraws the announcement. Errors are ignored: a missing note must not stop the service. */
export const announce = ({ url, dataDir, embedded }: Omit<Instance, 'pid' | 'began'>) => {
  const { pid } = process;
  const note: Instance = { pid, began: startTimeOf(pid), url, dataDir, embedded };
  const files: string[] = [];
  for (const folder of [userFolder(), dataFolder(dataDir)]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      sweep(folder);
      const file = join(folder, `${pid}.json`);
      writeFileSync(file, JSON.stringify(note), { mode: 0o600 });
      files.push(file);
    } catch {}
  }
  return () => {
    for (const file of files) rmSync(file, { force: true });
  };
};

const readFrom = (folder: string): Instance[] =>
  notesIn(folder)
    .map(({ note }) => note)
    .filter(isRunning);

/** Removes notes of dead processes. Called only at startup, because other commands change nothing. */
const sweep = (folder: string) => {
  for (const { file, note } of notesIn(folder)) if (!isRunning(note)) rmSync(file, { force: true });
};

const isRunning = ({ pid, began }: Instance) => isAlive(pid) && startTimeOf(pid) === began;

const notesIn = (folder: string) =>
  namesIn(folder).flatMap((name) => {
    const file = join(folder, name);
    try {
      return [{ file, note: JSON.parse(readFileSync(file, 'utf8')) as Instance }];
    } catch {
      return [];
    }
  });

const namesIn = (folder: string) => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** The temp folder is writable for everybody, so somebody else could have created ours. */
const isOwn = (folder: string) => {
  const stats = statSync(folder, { throwIfNoEntry: false });
  return stats !== undefined && (stats.uid === uid || process.getuid === undefined);
};
