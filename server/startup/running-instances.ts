import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '#server/store/embedded-process';

/** A service that runs on this machine, for commands in another terminal and for a second one on the same folder. */
export interface Instance {
  readonly pid: number;
  /** Tells a process from a later one with the same number; empty where the system does not say. */
  readonly began: string;
  readonly url: string;
  readonly dataDir: string;
  /** Whether its database is below dataDir. */
  readonly embedded: boolean;
}

const uid = process.getuid?.() ?? 0;
/** Of this user alone. */
const ours = () => join(tmpdir(), `posthorn-running-${uid}`);
const beside = (dataDir: string) => join(dataDir, 'running');

/** Those of this user, whatever their settings. */
export const findRunning = (): Instance[] => (isOwn(ours()) ? readFrom(ours()) : []);

/** Those on this data folder. */
export const runningIn = (dataDir: string): Instance[] => readFrom(beside(dataDir));

/** Answers with how to take it back. A note cannot keep the service from running. */
export const announce = ({ url, dataDir, embedded }: Omit<Instance, 'pid' | 'began'>) => {
  const { pid } = process;
  const note: Instance = { pid, began: beginOf(pid), url, dataDir, embedded };
  const written: string[] = [];
  for (const folder of [ours(), beside(dataDir)]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      sweep(folder);
      const file = join(folder, `${pid}.json`);
      writeFileSync(file, JSON.stringify(note), { mode: 0o600 });
      written.push(file);
    } catch {}
  }
  return () => {
    for (const file of written) rmSync(file, { force: true });
  };
};

const readFrom = (folder: string): Instance[] =>
  notesIn(folder)
    .map(({ note }) => note)
    .filter(isRunning);

/** Removes the notes of processes that are gone. Only a start does: other commands change nothing. */
const sweep = (folder: string) => {
  for (const { file, note } of notesIn(folder)) if (!isRunning(note)) rmSync(file, { force: true });
};

const isRunning = ({ pid, began }: Instance) => isAlive(pid) && beginOf(pid) === began;

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

/** In a folder that everybody may write to, somebody else could have made it. */
const isOwn = (folder: string) => {
  const found = statSync(folder, { throwIfNoEntry: false });
  return found !== undefined && (found.uid === uid || process.getuid === undefined);
};

const beginOf = (pid: number) => {
  try {
    return (
      readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? ''
    );
  } catch {
    return '';
  }
};
