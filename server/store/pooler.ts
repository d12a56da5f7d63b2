import pg from 'pg';
import { SettingError } from '#server/config';
import type { Connection } from './database.ts';

const words =
  'DATABASE_URL leads to a pooler that hands a connection to somebody else between two statements (PgBouncer in transaction or statement mode). ' +
  'Posthorn listens for notices and keeps prepared statements, and both belong to a connection: set pool_mode = session, or use the address of PostgreSQL itself.';

/**
 * A pooler in session mode is fine. In transaction mode it gives the connection that we just used to the next client,
 * so a second client, in a transaction, gets the server process of the first.
 */
export const refusePoolerOfTransactions = async (connection: Connection) => {
  const [first, second] = [new pg.Client(connection), new pg.Client(connection)];
  // The error that matters rejects the query.
  for (const client of [first, second]) client.on('error', () => undefined);
  try {
    await first.connect();
    await second.connect();
    const before = await processOf(first);
    await second.query('begin').catch(() => {
      throw new SettingError(words);
    });
    if ((await processOf(second)) === before) throw new SettingError(words);
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
};

const processOf = async (client: pg.Client) =>
  (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;
