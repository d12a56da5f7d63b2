import { randomBytes } from 'node:crypto';
import { type Config, SettingError } from '#server/base/config/config';
import { connect } from '#server/base/store/connect';
import { openDatabase } from '#server/base/store/database';
import { readArchive } from './archive.ts';
import { createBackupStore } from './backup-store.ts';
import { manifestName, readManifest } from './manifest.ts';
import { fillDatabase, findKeys, mustBeCompatible } from './restore.ts';
import { createScratchStore } from './verify-store.ts';

const noPermission = '42501';

/**
 * Checks every part of the file and whether our keys decrypt it. Then restores its tables into a scratch database,
 * which counts the rows, and drops that database again.
 */
export const verifyBackup = async (config: Config, path: string, progress: (text: string) => void) => {
  const archive = await readArchive(path, progress);
  const manifest = readManifest(await archive.text(manifestName), path);
  mustBeCompatible(manifest, archive, path);
  await findKeys(config, manifest, archive, path);
  const server = await connect(config);
  const { connection, direct = connection } = server;
  const database = openDatabase(direct, { report: () => undefined, poolSize: 1 });
  const scratch = createScratchStore(database);
  const name = `${scratch.prefix}${process.pid}_${randomBytes(4).toString('hex')}`;
  try {
    await scratch.dropUnused();
    await scratch.create(name).catch((error: Error & { code?: string }) => {
      if (error.code !== noPermission) throw error;
      throw new SettingError(
        `${path} is whole, but it was not restored for a test: the role of DATABASE_URL may not create databases. Run: alter role <role> createdb. Until then no nightly backup is removed.`,
      );
    });
    const copy = openDatabase({ ...direct, database: name }, { report: () => undefined, poolSize: 1 });
    try {
      const store = createBackupStore(copy);
      await copy.transaction(() => fillDatabase(copy, store, manifest, archive, progress));
    } finally {
      await copy.close();
      await scratch.drop(name);
    }
    return manifest;
  } finally {
    await database.close();
    await server.stop();
  }
};
