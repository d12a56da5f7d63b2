import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { type Connection, openDatabase } from '#server/store/database';
import { startEmbedded } from '#server/store/embedded';
import { migrate } from '#server/store/migrate';
import { migrations } from '#server/store/migrations/index';

declare module 'vitest' {
  interface ProvidedContext {
    postgres: Connection;
    /** A database with all tables and no rows. */
    migrated: string;
  }
}

/** One server for the whole run; what it holds is thrown away, so it need not wait for the disk. */
export const startPostgres = async (project: TestProject) => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'posthorn-test-'));
  fs.chmodSync(dir, 0o711); // the server may run as another user
  const flags = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'].flatMap((setting) => ['-c', setting]);
  const embedded = await startEmbedded(dir, { flags });
  project.provide('postgres', embedded.config);
  project.provide('migrated', await makeTemplate(embedded.config));
  return async () => {
    await embedded.stop();
    fs.rmSync(dir, { recursive: true });
  };
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
