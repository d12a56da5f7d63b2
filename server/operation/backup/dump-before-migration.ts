import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Backup as BackupRecord } from '#contracts/backups';
import { systemClock } from '#server/base/clock';
import { type Config, SettingError } from '#server/base/config/config';
import { makeFolder } from '#server/base/health/folder';
import { removeAbandonedParts } from './archive.ts';
import type { makeBackup } from './backup.ts';

const keptDumps = 3;
/** Processes that start together migrate once, and one dump is enough for them. */
const sameStartMs = 10 * 60_000;

const nameOf = (migration: number, at: Date) =>
  `before-migration-${migration}-${at.toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar`;

/** Newest first. */
export const listDumps = async (folder: string): Promise<BackupRecord[]> => {
  const names = await readdir(folder).catch(() => []);
  const dumps = await Promise.all(
    names
      .filter((name) => /^before-migration-\d+-[\dT-]+Z\.tar$/.test(name))
      .map(async (name): Promise<BackupRecord> => {
        const path = join(folder, name);
        const { size, mtime } = await stat(path);
        return { id: name, reason: 'Update', state: 'Made', startedAt: mtime.toISOString(), bytes: size, path };
      }),
  );
  return dumps.toSorted((a, b) => (a.startedAt < b.startedAt ? 1 : -1));
};

/** Dumps only the database, because migrations do not touch media. Returns the path; undefined if backups are off. */
export const dumpBeforeMigration = async (
  config: Config,
  nextMigration: number,
  /** For tests, which cannot fill a disk. */
  { make }: { make?: typeof makeBackup } = {},
): Promise<string | undefined> => {
  const { at, folder } = config.backup;
  if (at === undefined) return undefined;
  const now = systemClock.now();
  const [last] = await listDumps(folder);
  const isSameStart =
    last?.id.startsWith(`before-migration-${nextMigration}-`) &&
    now.getTime() - Date.parse(last.startedAt) < sameStartMs;
  if (isSameStart) return last?.path;
  await makeFolder(folder, 'backups are');
  await removeAbandonedParts(folder);
  const dump = make ?? (await import('./backup.ts')).makeBackup;
  const options = { withKeys: false, withoutMedia: true, clock: systemClock, progress: () => undefined };
  const { path } = await dump(config, join(folder, nameOf(nextMigration, now)), options).catch(
    ({ code, message }: NodeJS.ErrnoException) => {
      const why = code === 'ENOSPC' || code === 'EDQUOT' ? `the disk of ${folder} is full` : message;
      throw new SettingError(
        `It could not be dumped before the migration (${why}), so nothing was migrated. Make room, set BACKUP_FOLDER to another disk, or BACKUP_AT=off to migrate without a dump.`,
      );
    },
  );
  for (const old of (await listDumps(folder)).slice(keptDumps)) await rm(old.path ?? '', { force: true });
  return path;
};
