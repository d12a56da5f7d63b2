import pg from 'pg';
import { SettingError } from '#server/config/config';
import type { Connection } from './connection.ts';
import { clientFor } from './leader.ts';
import { inSessionName } from './session-name.ts';

const statementWords =
  'DATABASE_URL leads to a pooler that knows no transactions (PgBouncer in statement mode). Set pool_mode = transaction or session there.';

/**
 * A pooler in session mode is as good as the server. In transaction mode it gives the connection that we just used to the
 * next client, so a second client, in a transaction, gets the server process of the first.
 */
export const poolsTransactions = async (connection: Connection): Promise<boolean> => {
  const Client = clientFor(connection);
  const [first, second] = [new Client(inSessionName(connection)), new Client(inSessionName(connection))];
  try {
    await first.connect();
    await second.connect();
    const before = await processOf(first);
    await second.query('begin').catch((error: unknown) => {
      throw isRefusedByPooler(error) ? new SettingError(statementWords) : error;
    });
    return (await processOf(second)) === before;
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
};

/** PgBouncer calls it a violation of the protocol; PostgreSQL never refuses to begin. A lost connection is worth a retry. */
const isRefusedByPooler = (error: unknown) => error instanceof pg.DatabaseError && error.code === '08P01';

const processOf = async (client: pg.Client) =>
  (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;
