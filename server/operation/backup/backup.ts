import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream';
import { createGzip } from 'node:zlib';
import { openAudit } from '#server/access/audit/slice';
import type { Clock } from '#server/base/clock';
import { type Config, packageVersion, SettingError } from '#server/base/config/config';
import { findSecrets, fingerprints } from '#server/base/secrets/keys';
import { connect } from '#server/base/store/connect';
import { openDatabase } from '#server/base/store/database';
import { isNeeded, pendingAfter, refuseUnknown } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';
import type { MediaFiles } from '#server/media/files';
import { thumbnailKey } from '#server/media/item';
import { openMediaFiles } from '#server/media/open-files';
import { type Archive, createArchive } from './archive.ts';
import { type BackupStore, createBackupStore, excludedTables, posthornTables } from './backup-store.ts';
import { recordBackup } from './last-backup.ts';
import { type Manifest, manifestName, mediaPart, secretsName, tablePart, writeManifest } from './manifest.ts';

interface BackupOptions {
  readonly withKeys: boolean;
  /** For a dump before a migration, which does not touch media. */
  readonly withoutMedia?: boolean;
  readonly clock: Clock;
  readonly progress: (text: string) => void;
}

/**
 * A consistent snapshot of database and media in one file, even while the service runs. It does not migrate the
 * database, so that a newer release can make a backup before it migrates.
 */
export const makeBackup = async (
  config: Config,
  place: string,
  { withKeys, withoutMedia, clock, progress }: BackupOptions,
) => {
  const createdAt = clock.now().toISOString();
  const path = await pathFor(place, createdAt);
  const secrets = await findSecrets(config);
  if (secrets === undefined) throw nothingToBackUp(`there are no keys in ${config.dataDir}`);
  const server = await connect(config);
  const database = openDatabase(server.connection, { report: () => undefined, poolSize: 1 });
  try {
    const store = createBackupStore(database);
    const archive = await createArchive(path);
    try {
      const { files, leftOut, ...state } = await copyDatabase(store, archive, progress);
      const mediaFiles = openMediaFiles(config);
      const media = await copyMedia(mediaFiles, withoutMedia ? [] : files, archive, progress);
      if (withKeys) await archive.add(secretsName, [Buffer.from(`${JSON.stringify(secrets, null, 2)}\n`)]);
      const keys = fingerprints(secrets);
      const manifest = {
        posthorn: packageVersion,
        createdAt,
        ...state,
        media,
        ...(withoutMedia && { withoutMedia }),
        keys,
      };
      await archive.add(manifestName, [Buffer.from(writeManifest(manifest))]);
      const bytes = await archive.finish();
      const lost = media.missing.length === 0 ? [] : await findLost(store, state.tables, media.missing);
      const { audit } = openAudit({ database, config, clock });
      // A standby is read-only, and an older release may lack the table. The backup is complete without the entry.
      const isRecorded = await recordBackup(audit, { path, bytes, keys }).then(
        () => true,
        () => false,
      );
      return { path, bytes, withKeys, leftOut, isRecorded, lost, mediaPlace: mediaFiles.place, ...manifest };
    } catch (error) {
      await archive.discard();
      throw error;
    }
  } finally {
    await database.close();
    await server.stop();
  }
};

export type Backup = Awaited<ReturnType<typeof makeBackup>>;

const pathFor = async (place: string, createdAt: string) => {
  const path = resolve(place);
  const existing = await stat(path).catch(() => undefined);
  if (existing?.isDirectory()) return join(path, `posthorn-${createdAt.slice(0, 19).replaceAll(':', '-')}Z.tar`);
  if (existing) throw new SettingError(`${path} already exists. Choose another name, or name a folder.`);
  return path;
};

const nothingToBackUp = (why: string) =>
  new SettingError(`There is nothing to back up: ${why}. Give this command the settings of the service.`);

/** One transaction, so that all tables are from the same moment. */
const copyDatabase = (store: BackupStore, archive: Archive, progress: (text: string) => void) =>
  store.transaction(async () => {
    await store.useSnapshot();
    const applied = await store.applied();
    const migration = applied.at(-1);
    if (migration === undefined) throw nothingToBackUp('this database has no tables of Posthorn');
    // This release does not know the newer tables, and a backup without them could not be restored.
    refuseUnknown(applied, migrations, { strict: true });
    const all = await store.tables();
    const names = posthornTables(all, migrations);
    const leftOut = all.filter((name) => !names.includes(name) && !excludedTables.includes(name));
    const tables: Manifest['tables'] = [];
    for (const name of names) {
      progress(`Table ${tables.length + 1} of ${names.length}: ${name}`);
      const columns = await store.columns(name);
      const rows = countRows(store.read(name, columns));
      await archive.add(tablePart(name), gzip(rows.bytes()));
      tables.push({ name, columns, rows: rows.count() });
    }
    const files = await listFiles(store, names);
    // Older releases have other tables.
    const pending = pendingAfter(applied, migrations);
    const contents = pending.some(isNeeded) ? undefined : await store.contents();
    const postponed = pending.map(({ number }) => number).filter((number) => number < migration.number);
    return {
      migration,
      ...(postponed.length > 0 && { postponed }),
      postgres: await store.postgres(),
      tables,
      files,
      leftOut,
      ...(contents && { contents }),
    };
  });

/** The keys of all media files. */
const listFiles = async (store: BackupStore, tables: readonly string[]) => {
  const mediaIds = tables.includes('media') ? await store.mediaIds() : [];
  const fittedIds = tables.includes('renditions') ? await store.fittedIds() : [];
  return [...mediaIds, ...fittedIds].flatMap((id) => [id, thumbnailKey(id)]);
};

/** A file is deleted after its row, so a file that is missing while its row exists was lost. */
const findLost = async (store: BackupStore, tables: Manifest['tables'], missing: readonly string[]) => {
  const names = tables.map(({ name }) => name);
  const files = new Set(await listFiles(store, names));
  return missing.filter((key) => files.has(key));
};

/** In the text format of COPY each row is one line. */
const countRows = (source: AsyncIterable<Buffer>) => {
  let lines = 0;
  return {
    count: () => lines,
    bytes: async function* () {
      for await (const chunk of source) {
        for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
        yield chunk;
      }
    },
  };
};

const gzip = (source: AsyncIterable<Buffer>): AsyncIterable<Buffer> =>
  // The callback does nothing, because the returned stream throws the errors of the source as well.
  pipeline(source, createGzip({ level: 4 }), () => undefined);

const copyMedia = async (
  files: MediaFiles,
  keys: readonly string[],
  archive: Archive,
  progress: (text: string) => void,
): Promise<Manifest['media']> => {
  const missing: string[] = [];
  let copied = 0;
  let bytes = 0;
  for (const [index, key] of keys.entries()) {
    progress(`File ${index + 1} of ${keys.length}, ${(bytes / 1e6).toFixed(0)} MB`);
    const content = await open(files, key);
    if (content === undefined) {
      missing.push(key);
      continue;
    }
    bytes += (await archive.add(mediaPart(key), content)).bytes;
    copied++;
  }
  return { files: copied, bytes, missing };
};

/** Undefined if there is no such file. It may vanish even after `read`, so the first chunk is read here. */
const open = async (files: MediaFiles, key: string): Promise<AsyncIterable<Buffer> | undefined> => {
  const file = await files.read(key);
  if (file === undefined) return undefined;
  const chunks = file.stream[Symbol.asyncIterator]();
  const first = await chunks.next().catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (first === undefined) return undefined;
  return (async function* () {
    for (let next = first; !next.done; next = await chunks.next()) yield next.value as Buffer;
  })();
};
