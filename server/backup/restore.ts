import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Config, incomingFolder, SettingError } from '#server/config/config';
import type { MediaFiles } from '#server/media/files';
import { openMediaFiles } from '#server/media/open-files';
import { writeClockAgain } from '#server/sandbox/clock';
import { findSecrets, fingerprints, keepSecrets, parseSecrets, secretsFile } from '#server/secrets/keys';
import { connect } from '#server/store/connect';
import { type Database, openDatabase } from '#server/store/database';
import { migrate } from '#server/store/migrate';
import { migrations } from '#server/store/migrations/index';
import { type OpenedArchive, readArchive } from './archive.ts';
import { type Manifest, manifestName, mediaKey, readManifest, secretsName, tablePart } from './manifest.ts';
import { type BackupStore, createBackupStore, oursAmong } from './store.ts';

/**
 * Into an empty database and an empty store for media. All that could be wrong is looked at before anything is written;
 * then the database has everything or nothing.
 */
export const restoreBackup = async (config: Config, place: string, progress: (text: string) => void) => {
  const path = resolve(place);
  const archive = await readArchive(path, progress);
  const manifest = readManifest(await archive.text(manifestName), path);
  refuseOther(manifest, archive, path);
  const keys = await findKeys(config, manifest, archive, path);
  const server = await connect(config);
  const database = openDatabase(server.connection, { report: () => undefined });
  try {
    const store = createBackupStore(database);
    const files = openMediaFiles(config);
    await mustBeEmpty(store);
    await mustFit(files, archive);
    await keys.keep();
    await database.transaction(async () => {
      await store.waitForFiles();
      await fillDatabase(database, store, manifest, archive, progress);
      await fillMedia(config, files, store, archive, progress);
    });
    return { path, ...manifest };
  } finally {
    await database.close();
    await server.stop();
  }
};

const refuseOther = ({ posthorn, migration, tables }: Manifest, archive: OpenedArchive, path: string) => {
  const known = migrations[migration.number - 1];
  if (known?.name !== migration.name) {
    throw new SettingError(
      `${path} is of Posthorn ${posthorn}, whose database has the migration ${migration.number} "${migration.name}". This one ends at ${migrations.length} "${migrations.at(-1)?.name}". Install that release and restore with it.`,
    );
  }
  const missing = tables.map(({ name }) => tablePart(name)).find((part) => !archive.names.includes(part));
  if (missing !== undefined) throw new SettingError(`${path} has no part ${missing}. Take another backup.`);
};

/** What is sealed in the database can be opened with the keys it was sealed with, and no others. */
const findKeys = async (config: Config, manifest: Manifest, archive: OpenedArchive, path: string) => {
  const enclosed = archive.names.includes(secretsName)
    ? parseSecrets(await archive.text(secretsName), `${path}: ${secretsName}`)
    : undefined;
  const found = await findSecrets(config);
  const have = fingerprints(found ?? enclosed ?? { encryptionKeys: [] });
  const missing = manifest.keys.filter(({ id, mark }) => !have.some((key) => key.id === id && key.mark === mark));
  if (missing.length > 0) {
    const ids = missing.map(({ id }) => id).join(', ');
    throw new SettingError(
      `${path} was sealed with the key ${ids}, which ${found ? 'is not the one here' : 'is not here'}. Put the secrets.json of the old data folder at ${secretsFile(config)}, or set ENCRYPTION_KEYS as it was. Nothing was changed.`,
    );
  }
  return {
    keep: async () => {
      if (found === undefined && enclosed) await keepSecrets(config, enclosed);
    },
  };
};

const mustBeEmpty = async (store: BackupStore) => {
  const tables = await store.tables();
  if (tables.length > 0) {
    throw new SettingError(
      `This database is not empty: it has the table ${tables[0]}${tables.length > 1 ? ` and ${tables.length - 1} more` : ''}. Restore into an empty database, or into a new folder with POSTHORN_DATA. Nothing was changed.`,
    );
  }
};

/** Files of this backup are there when an earlier restore broke off; they are written again. */
const mustFit = async (files: MediaFiles, archive: OpenedArchive) => {
  await files.check();
  const ours = new Set(archive.names.map(mediaKey));
  for await (const { key } of files.list()) {
    if (ours.has(key)) continue;
    throw new SettingError(
      `The store for media is not empty: ${files.place} has ${key}, which is not of this backup. Restore into an empty folder or bucket. Nothing was changed.`,
    );
  }
};

const fillDatabase = async (
  database: Database,
  store: BackupStore,
  { migration, tables }: Manifest,
  archive: OpenedArchive,
  progress: (text: string) => void,
) => {
  progress('Making the tables');
  const made = await migrate(database, migrations.slice(0, migration.number));
  if (made.length < migration.number) {
    throw new SettingError('Posthorn was started on this database just now. Stop it and restore into an empty one.');
  }
  const names = tables.map(({ name }) => name);
  const expected = oursAmong(await store.tables(), migrations);
  if (expected.toSorted().join() !== names.toSorted().join()) {
    throw new SettingError(
      `The backup does not have the tables of migration ${migration.number}. Nothing was changed. Take another backup.`,
    );
  }
  const references = await store.dropReferences();
  await store.clear(names);
  for (const [index, { name, columns, rows }] of tables.entries()) {
    progress(`Table ${index + 1} of ${tables.length}: ${name}`);
    const unzipped = pipeline(archive.read(tablePart(name)), createGunzip(), () => undefined);
    const written = await store.write(name, columns, unzipped);
    if (written !== rows) throw new Error(`${name} has ${written} rows in the backup and ${rows} in its manifest`);
  }
  progress('Checking references');
  await store.checkReferences(references);
  await store.resume(names);
  await migrate(database, migrations);
  await writeClockAgain(database);
};

const fillMedia = async (
  config: Config,
  files: MediaFiles,
  store: BackupStore,
  archive: OpenedArchive,
  progress: (text: string) => void,
) => {
  const types = await store.mediaTypes();
  const folder = incomingFolder(config);
  await mkdir(folder, { recursive: true });
  const parts = archive.names.filter((name) => mediaKey(name) !== undefined);
  for (const [index, part] of parts.entries()) {
    progress(`File ${index + 1} of ${parts.length}`);
    const key = mediaKey(part) ?? '';
    const draft = join(folder, randomUUID());
    await finished(pipeline(archive.read(part), createWriteStream(draft, { flush: true }), () => undefined));
    await files.put(key, draft, types.get(key) ?? 'image/webp');
    await rm(draft, { force: true });
  }
};
