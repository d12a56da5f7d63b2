import type pg from 'pg';
import { propertyOf } from './column-name.ts';
import { isStale, isUnavailable } from './pg-errors.ts';
import type { StatementResult } from './prepared-query.ts';
import type { Statement } from './statement.ts';

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
  const query = { ...(name && { name }), text, values: [...values], rowMode: 'array' as const };
  const { rows, rowCount, fields } = await client.query<unknown[]>(query);
  const properties = fields.map((field) => propertyOf(field.name));
  const toRow = (values: readonly unknown[]) => {
    const row: Record<string, unknown> = {};
    for (let i = 0; i < properties.length; i++) row[properties[i] as string] = values[i];
    return row;
  };
  return { rows: rows.map(toRow), count: rowCount ?? 0 };
};
