import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '#server/base/config/config';
import { isAlive, startTimeOf } from '#server/base/store/embedded-process';

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

type Settings = Pick<Config, 'dataDir' | 'databaseUrl' | 'setting'>;

const uid = process.getuid?.();
const dataFolder = (dataDir: string) => join(dataDir, 'running');

/** All are read: a terminal has XDG_RUNTIME_DIR, while the service that it looks for may run without. */
const userFolders = ({ setting }: Pick<Config, 'setting'>) => {
  const runtimeDir = setting('XDG_RUNTIME_DIR');
  return [
    // After `sudo -E` it is that of another user.
    ...(runtimeDir !== undefined && isOwn(runtimeDir) ? [join(runtimeDir, 'posthorn')] : []),
    join(tmpdir(), `posthorn-running-${uid ?? 0}`),
  ];
};

/** All instances of this user. */
export const findRunning = (config: Pick<Config, 'setting'>): Instance[] =>
  userFolders(config).filter(isOwn).flatMap(readFrom);

/** The instances on this data folder. */
export const runningIn = (dataDir: string): Instance[] => readFrom(dataFolder(dataDir));

/** Returns a function that withdraws the announcement. Errors are ignored: a missing note must not stop the service. */
export const announce = (config: Settings, url: string) => {
  const { pid } = process;
  const { dataDir, databaseUrl } = config;
  const note: Instance = { pid, began: startTimeOf(pid), url, dataDir, embedded: databaseUrl === undefined };
  const files: string[] = [];
  const userFolder = userFolders(config).find((folder) => makeFolder(folder) && isOwn(folder));
  const inData = dataFolder(dataDir);
  for (const folder of [...(userFolder === undefined ? [] : [userFolder]), ...(makeFolder(inData) ? [inData] : [])]) {
    try {
      sweep(folder);
      const file = join(folder, `${pid}.json`);
      rmSync(file, { force: true });
      // `wx` follows no link, so whoever plants one has nothing overwritten.
      writeFileSync(file, JSON.stringify(note), { mode: 0o600, flag: 'wx' });
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
    return readdirSync(folder).filter((name) => /^\d+\.json$/.test(name));
  } catch {
    return [];
  }
};

/** False if something else is there, such as a link to a folder. */
const makeFolder = (folder: string) => {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {}
  return isFolder(folder);
};

const isFolder = (folder: string) => lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** The temporary folder is writable for everybody, so somebody else could have made ours, with links in it. */
const isOwn = (folder: string) => {
  if (!isFolder(folder)) return false;
  const { uid: owner, mode } = lstatSync(folder);
  return uid === undefined || (owner === uid && (mode & 0o077) === 0);
};
