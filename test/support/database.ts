import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { Connection } from '#server/base/store/database';
import { sharedPostgres } from './shared.ts';

export interface FreshDatabase {
  parts: Connection;
  drop(): Promise<void>;
}

/** A database for one test file: empty, with all tables, or a copy of another. */
export async function freshDatabase({
  isMigrated = false,
  copyOf,
}: {
  isMigrated?: boolean;
  copyOf?: string | undefined;
} = {}): Promise<FreshDatabase> {
  const { connection: server, template } = await sharedPostgres();
  const database = `test_${randomBytes(6).toString('hex')}`;
  const source = copyOf ?? (isMigrated ? template : undefined);
  // Copying the files takes a third of the time of the default strategy, which writes them to the WAL.
  const copy = source ? `template ${source} strategy file_copy` : '';
  await command(server, `create database ${database} ${copy}`);
  return {
    parts: { ...server, database },
    drop: () => command(server, `drop database ${database} with (force)`),
  };
}

/** As the setting DATABASE_URL. */
export const urlOf = ({ host, user = '', password = '', database }: Connection) =>
  `postgres://${user}:${encodeURIComponent(password)}@/${database}?host=${encodeURIComponent(host)}`;

/** One connection for all files of a worker, since opening one costs PostgreSQL as much as the command. */
let admin: Promise<pg.Client> | undefined;

/** One after the other, because pg wants no second query on a connection that is busy with one. */
function command(server: Connection, text: string): Promise<void> {
  const run = async () => {
    admin ??= connect(server);
    await (await admin).query(text);
  };
  const result = lastCommand.then(run, run);
  lastCommand = result;
  return result;
}

let lastCommand: Promise<void> = Promise.resolve();

const connect = async (server: Connection) => {
  const client = new pg.Client(server);
  client.on('error', () => {
    admin = undefined;
  });
  await client.connect();
  return client;
};
