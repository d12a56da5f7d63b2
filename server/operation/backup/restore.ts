import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGunzip } from 'node:zlib';
import { type Config, incomingFolder, SettingError } from '#server/base/config/config';
import { measureFreeBytes } from '#server/base/health/disk-space';
import { findSecrets, fingerprints, keepSecrets, parseSecrets, secretsFile } from '#server/base/secrets/keys';
import { connect } from '#server/base/store/connect';
import { type Connection, type Database, openDatabase } from '#server/base/store/database';
import { migrate } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import { countOtherSessions } from '#server/base/store/other-sessions';
import type { MediaFiles } from '#server/media/files';
import { openMediaFiles } from '#server/media/open-files';
import { beginHold } from '#server/operation/hold/hold';
import { writeClockAgain } from '#server/simulation/sandbox/clock';
import { type OpenArchive, readArchive } from './archive.ts';
import { type BackupStore, createBackupStore, posthornTables } from './backup-store.ts';
import { type Manifest, manifestName, mediaKey, readManifest, secretsName, tablePart } from './manifest.ts';

interface RestoreOptions {
  /** Replaces the tables of an installation without users. Otherwise the database has to be empty. */
  readonly replacesUnused?: boolean;
  readonly holdId?: string;
  /** For tests, which cannot fill a disk. */
  readonly freeBytes?: typeof measureFreeBytes;
}

/**
 * Restores into an empty database and an empty media store. Everything is checked before anything is written, and the
 * database is filled in one transaction.
 */
export const restoreBackup = async (
  config: Config,
  place: string,
  progress: (text: string) => void,
  { replacesUnused = false, holdId, freeBytes }: RestoreOptions = {},
) => {
  const path = resolve(place);
  const archive = await readArchive(path, progress);
  const manifest = readManifest(await archive.text(manifestName), path);
  mustBeCompatible(manifest, archive, path);
  const keys = await findKeys(config, manifest, archive, path);
  await mustFit(config, manifest, archive, freeBytes);
  const server = await connect(config);
  const database = openDatabase(server.connection, { report: () => undefined });
  try {
    const store = createBackupStore(database);
    const files = openMediaFiles(config);
    if (replacesUnused) await mustBeAlone(server.connection);
    else await mustBeEmpty(store);
    if (!manifest.withoutMedia) await mustHaveNoOtherFiles(files, archive);
    await keys.keep();
    await database.transaction(async () => {
      await store.disableIdleTimeout();
      if (replacesUnused) await dropUnused(store);
      await fillDatabase(database, store, manifest, archive, progress);
      await fillMedia(config, files, store, archive, progress);
      await beginHold(database, manifest.createdAt, holdId);
    });
    return { path, ...manifest };
  } finally {
    await database.close();
    await server.stop();
  }
};

export const mustBeCompatible = ({ posthorn, migration, tables }: Manifest, archive: OpenArchive, path: string) => {
  const ourMigration = migrations[migration.number - 1];
  if (ourMigration?.name !== migration.name) {
    throw new SettingError(
      `${path} is of Posthorn ${posthorn}, whose database has the migration ${migration.number} "${migration.name}". This one ends at ${migrations.length} "${migrations.at(-1)?.name}". Install that release and restore with it.`,
    );
  }
  const missing = tables.map(({ name }) => tablePart(name)).find((part) => !archive.names.includes(part));
  if (missing !== undefined) throw new SettingError(`${path} has no part ${missing}. Take another backup.`);
};

/** Secrets in the database can be decrypted only with the keys that encrypted them. */
export const findKeys = async (config: Config, manifest: Manifest, archive: OpenArchive, path: string) => {
  const enclosed = archive.names.includes(secretsName)
    ? parseSecrets(await archive.text(secretsName), `${path}: ${secretsName}`)
    : undefined;
  const local = await findSecrets(config);
  const available = fingerprints(local ?? enclosed ?? { encryptionKeys: [] });
  const missing = manifest.keys.filter(({ id, mark }) => !available.some((key) => key.id === id && key.mark === mark));
  if (missing.length > 0) {
    const ids = missing.map(({ id }) => id).join(', ');
    throw new SettingError(
      `${path} was sealed with the key ${ids}, which ${local ? 'is not the one here' : 'is not here'}. Put the secrets.json of the old data folder at ${secretsFile(config)}, or set ENCRYPTION_KEYS as it was. Nothing was changed.`,
    );
  }
  return {
    keep: async () => {
      if (local === undefined && enclosed) await keepSecrets(config, enclosed);
    },
  };
};

/** Each row is written to its table and to the write-ahead log, and less compressed than in the backup. */
const growth = 2;

/** A lower bound: what is refused here could not succeed. Data outside of the data folder does not count. */
export const mustFit = async (
  { dataDir, databaseUrl, media }: Config,
  manifest: Manifest,
  archive: OpenArchive,
  freeBytes = measureFreeBytes,
) => {
  const rows = manifest.tables.reduce((sum, { name }) => sum + archive.bytesOf(tablePart(name)), 0);
  const needed = (databaseUrl === undefined ? growth * rows : 0) + (media.s3 === undefined ? manifest.media.bytes : 0);
  const free = await freeBytes(dataDir);
  if (needed <= free) return;
  throw new SettingError(
    `The backup needs at least ${inGigabytes(needed)} on the disk of ${dataDir}, and ${inGigabytes(free)} are free. Make room, or restore on a larger disk. Nothing was changed.`,
  );
};

export const inGigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(bytes < 1e8 ? 3 : 1)} GB`;

const aloneMs = 5_000;
const pollMs = 100;

/**
 * Refuses while another instance is connected, because it would keep using keys and caches of the old database. Our own
 * sessions take a moment to end.
 */
const mustBeAlone = async (connection: Connection) => {
  const database = openDatabase(connection, { report: () => undefined, poolSize: 1, onePool: true });
  try {
    for (const startedMs = performance.now(); (await countOtherSessions(database)) > 0; await sleep(pollMs)) {
      if (performance.now() - startedMs < aloneMs) continue;
      throw new SettingError(
        'Another Posthorn is connected to this database. Stop all others, then restore again. Nothing was changed.',
      );
    }
  } finally {
    await database.close();
  }
};

const dropUnused = async (store: BackupStore) => {
  const { isEmpty } = await store.lockUsers();
  if (!isEmpty) throw new SettingError('Somebody has signed up here meanwhile. Nothing was changed.');
  await store.dropAll(migrations);
};

const mustBeEmpty = async (store: BackupStore) => {
  const tables = await store.tables();
  if (tables.length > 0) {
    throw new SettingError(
      `This database is not empty: it has the table ${tables[0]}${tables.length > 1 ? ` and ${tables.length - 1} more` : ''}. Restore into an empty database, or into a new folder with POSTHORN_DATA. Nothing was changed.`,
    );
  }
};

/**
 * An earlier, interrupted restore may have left files of this backup, which are overwritten. Other files are refused.
 */
const mustHaveNoOtherFiles = async (files: MediaFiles, archive: OpenArchive) => {
  await files.check();
  const backupKeys = new Set(archive.names.map(mediaKey));
  for await (const { key } of files.list()) {
    if (backupKeys.has(key)) continue;
    throw new SettingError(
      `The store for media is not empty: ${files.place} has ${key}, which is not of this backup. Restore into an empty folder or bucket. Nothing was changed.`,
    );
  }
};

export const fillDatabase = async (
  database: Database,
  store: BackupStore,
  { migration, postponed = [], tables }: Manifest,
  archive: OpenArchive,
  progress: (text: string) => void,
) => {
  progress('Creating the tables');
  const applied = await migrate(database, migrations.slice(0, migration.number), { without: postponed });
  if (applied.length < migration.number - postponed.length) {
    throw new SettingError('Posthorn was started on this database just now. Stop it and restore into an empty one.');
  }
  const names = tables.map(({ name }) => name);
  const expected = posthornTables(await store.tables(), migrations);
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
    const rowCount = await store.write(name, columns, unzipped);
    if (rowCount !== rows) throw new Error(`${name} has ${rowCount} rows in the backup and ${rows} in its manifest`);
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
  archive: OpenArchive,
  progress: (text: string) => void,
) => {
  const types = await store.mediaTypes();
  const folder = incomingFolder(config);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const parts = archive.names.filter((name) => mediaKey(name) !== undefined);
  for (const [index, part] of parts.entries()) {
    progress(`File ${index + 1} of ${parts.length}`);
    const key = mediaKey(part) ?? '';
    const temporaryFile = join(folder, randomUUID());
    await finished(pipeline(archive.read(part), createWriteStream(temporaryFile, { flush: true }), () => undefined));
    await files.put(key, temporaryFile, types.get(key) ?? 'image/webp');
    await rm(temporaryFile, { force: true });
  }
};
