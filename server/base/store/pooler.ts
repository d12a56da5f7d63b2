import pg from 'pg';
import { SettingError } from '#server/base/config/config';
import type { Connection } from './connection.ts';
import { clientFor } from './leader-client.ts';
import { inSessionName } from './session-name.ts';

const statementModeMessage =
  'DATABASE_URL points to a pooler in statement mode (such as PgBouncer), which does not support transactions. Set pool_mode = transaction or session there.';

/**
 * Detects a pooler in transaction mode: it reuses the connection of the first client for the second one, so both see the
 * same server process. A pooler in session mode behaves like the server itself.
 */
export const poolsTransactions = async (connection: Connection): Promise<boolean> => {
  const Client = clientFor(connection);
  const [first, second] = [new Client(inSessionName(connection)), new Client(inSessionName(connection))];
  try {
    await first.connect();
    await second.connect();
    const before = await processOf(first);
    await second.query('begin').catch((error: unknown) => {
      throw isRefusedByPooler(error) ? new SettingError(statementModeMessage) : error;
    });
    return (await processOf(second)) === before;
  } finally {
    await Promise.all([first, second].map((client) => client.end().catch(() => undefined)));
  }
};

/** PgBouncer answers BEGIN with a protocol violation in statement mode; PostgreSQL itself never refuses it. */
const isRefusedByPooler = (error: unknown) => error instanceof pg.DatabaseError && error.code === '08P01';

const processOf = async (client: pg.Client) =>
  (await client.query('select pg_backend_pid() as pid')).rows[0].pid as number;
