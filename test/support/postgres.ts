import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type Connection, openDatabase } from '#server/base/store/database';
import { startEmbedded } from '#server/base/store/embedded';
import { migrate } from '#server/base/store/migrate';
import { migrations } from '#server/base/store/migrations/index';

export interface SharedPostgres {
  readonly connection: Connection;
  /** A database with all tables and no rows. */
  readonly template: string;
}

/** Without fsync: the data is temporary. */
export const startPostgres = async (): Promise<SharedPostgres & { stop(): Promise<void> }> => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'posthorn-test-'));
  fs.chmodSync(dir, 0o711); // the server may run as another user
  const settings = [
    'fsync=off',
    'synchronous_commit=off',
    'full_page_writes=off',
    // One test alone runs six processes of the service here, beside the other workers.
    `max_connections=${120 + 40 * os.availableParallelism()}`,
  ];
  const flags = settings.flatMap((setting) => ['-c', setting]);
  const embedded = await startEmbedded(dir, { flags });
  const stop = async () => {
    await embedded.stop();
    fs.rmSync(dir, { recursive: true });
  };
  return { connection: embedded.config, template: await makeTemplate(embedded.config), stop };
};

/** Migrated once: the databases of most tests are copies of it. */
const makeTemplate = async (server: Connection) => {
  const database = 'migrated';
  const admin = new pg.Client(server);
  await admin.connect();
  await admin.query(`create database ${database}`);
  await admin.end();
  const template = openDatabase({ ...server, database }, { report: () => undefined });
  await migrate(template, migrations);
  await template.close();
  return database;
};
