import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type Config, SettingError } from '#server/base/config/config';
import { type Secrets, secretsFile } from '#server/base/secrets/keys';
import { connect } from '#server/base/store/connect';
import { openDatabase } from '#server/base/store/database';
import { isAlive, startTimeOf } from '#server/base/store/embedded-process';
import { isUnwritable } from '#server/base/store/pg-errors';
import { openMediaFiles } from '#server/media/open-files';
import { hasHold, newHoldId } from '#server/operation/hold/hold';
import { listParts } from './archive.ts';
import { mediaKey } from './manifest.ts';
import { restoreBackup } from './restore.ts';

/**
 * A restore over an installation without users. The folder has the uploaded file, and the state that the next start
 * needs if the process is killed during the restore. The database is replaced in one transaction; keys and media are
 * completed or undone depending on whether it was committed.
 */
const folderOf = ({ dataDir }: Pick<Config, 'dataDir'>) => join(dataDir, 'restore');
export const stagedFile = (config: Pick<Config, 'dataDir'>) => join(folderOf(config), 'backup.tar');
const stateFile = (config: Config) => join(folderOf(config), 'state.json');
const keysFile = (config: Config) => join(folderOf(config), 'secrets.json');

const State = z.object({
  /** Set when a restore has begun. Once the restore is committed, the database has a hold with this id. */
  holdId: z.string().optional(),
  pid: z.number().optional(),
  /** Start time of that process: after a reboot another one may have its pid. */
  began: z.string().optional(),
  /** Why the last restore changed nothing. */
  problem: z.string().optional(),
});
type State = z.output<typeof State>;

const readState = async (config: Config): Promise<State> => {
  const text = await readFile(stateFile(config), 'utf8').catch(() => '{}');
  return State.parse(JSON.parse(text || '{}'));
};

const writeState = async (config: Config, state: State) => {
  await mkdir(folderOf(config), { recursive: true, mode: 0o700 });
  const temporaryPath = `${stateFile(config)}.part`;
  await writeFile(temporaryPath, JSON.stringify(state), { mode: 0o600, flush: true });
  await rename(temporaryPath, stateFile(config));
};

export const readRestoreProblem = async (config: Config) => (await readState(config)).problem;

/** Creates the folder for an upload, and removes what an earlier one left. */
export const openStage = async (config: Config) => {
  await rm(folderOf(config), { recursive: true, force: true });
  await mkdir(folderOf(config), { recursive: true, mode: 0o700 });
};

/**
 * `keys` replace those of the data folder. Call while the service is stopped. Returns why nothing was changed;
 * undefined on success.
 */
export const restoreStaged = async (
  config: Config,
  keys: Secrets | undefined,
  progress: (text: string) => void,
): Promise<string | undefined> => {
  const holdId = newHoldId();
  await writeState(config, { holdId, pid: process.pid, began: startTimeOf(process.pid) });
  let problem: string | undefined;
  try {
    if (keys) await writeFile(keysFile(config), `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600, flush: true });
    const settings = keys ? { ...config, encryptionKeys: keys.encryptionKeys } : config;
    await restoreBackup(settings, stagedFile(config), progress, { replacesUnused: true, holdId });
  } catch (error) {
    problem = describe(error, config);
  }
  return settle(config, { holdId }, problem ?? 'The connection to the database was lost. Nothing was changed.');
};

const describe = (error: unknown, config: Config) => {
  if ((error as NodeJS.ErrnoException).code === 'ENOSPC' || isUnwritable(error)) {
    return 'The disk became full. Make room, then restore again. Nothing was changed.';
  }
  if (error instanceof SettingError) return nameFile(error.message, config);
  return `${(error as Error).message}. Nothing was changed.`;
};

/** The person knows the file by another name, so messages must not show our path. */
export const nameFile = (message: string, config: Config) => message.replaceAll(stagedFile(config), 'The file');

/**
 * At every start: completes or undoes a restore that was interrupted because the process was killed, and reports it.
 */
export const settleInterruptedRestore = async (config: Config, say: (message: string) => void) => {
  if (!(await exists(folderOf(config)))) return;
  const state = await readState(config);
  if (state.holdId === undefined) {
    for (const file of [stagedFile(config), keysFile(config)]) await rm(file, { force: true });
    return;
  }
  if (
    state.pid !== undefined &&
    state.pid !== process.pid &&
    isAlive(state.pid) &&
    startTimeOf(state.pid) === state.began
  ) {
    throw new SettingError(
      `The process ${state.pid} restores a backup into ${config.dataDir}. Wait until it is done, then start again.`,
    );
  }
  const problem = 'Posthorn was stopped during the restore. Nothing was changed. Restore the backup again.';
  const failure = await settle(config, state, problem);
  say(failure ?? 'A restore that was interrupted is complete.');
};

const settle = async (config: Config, { holdId }: State, problem: string) => {
  if (holdId !== undefined && (await isCommitted(config, holdId))) {
    if (await exists(keysFile(config))) await rename(keysFile(config), secretsFile(config));
    await rm(folderOf(config), { recursive: true, force: true });
    return undefined;
  }
  await removeMedia(config);
  await writeState(config, { problem });
  for (const file of [stagedFile(config), keysFile(config)]) await rm(file, { force: true });
  return problem;
};

const isCommitted = async (config: Config, holdId: string) => {
  const server = await connect(config);
  const database = openDatabase(server.connection, { report: () => undefined, poolSize: 1, onePool: true });
  try {
    return await hasHold(database, holdId);
  } finally {
    await database.close();
    await server.stop();
  }
};

/** Removes only files of this backup. A restore over other files is refused before anything is written. */
const removeMedia = async (config: Config) => {
  const files = openMediaFiles(config);
  const parts = await listParts(stagedFile(config)).catch(() => []);
  for (const part of parts) {
    const key = mediaKey(part);
    if (key !== undefined) await files.remove(key);
  }
};

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );
