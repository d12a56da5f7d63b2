import type pg from 'pg';
import { isStale, isUnavailable } from './pg-errors.ts';
import type { Statement, StatementResult } from './prepared-query.ts';

/** For STATEMENT_LINE=off: uses only pg's public interface, one statement at a time per connection. */
export const createPlainStatements = (pool: pg.Pool) => ({
  ask: async (statement: Statement, values: readonly unknown[]): Promise<StatementResult> => {
    const client = await pool.connect();
    let isBroken = false;
    try {
      return await queryPlain(client, statement, values);
    } catch (error) {
      isBroken = isUnavailable(error) || isStale(error);
      throw error;
    } finally {
      client.release(isBroken);
    }
  },

  length: () => 0,
});

export const queryPlain = async (
  client: pg.ClientBase,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<StatementResult> => {
  const { rows, rowCount } = await client.query({ ...(name && { name }), text, values: [...values] });
  return { rows, count: rowCount ?? 0 };
};
