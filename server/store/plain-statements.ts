import type pg from 'pg';
import { isAway, isStale } from './pg-errors.ts';
import type { Answered, Statement } from './prepared-query.ts';

/** By pg's public interface alone, one statement at a time on a connection: what STATEMENT_LINE=off leaves. */
export const createPlainStatements = (pool: pg.Pool) => ({
  ask: async (statement: Statement, values: readonly unknown[]): Promise<Answered> => {
    const client = await pool.connect();
    let isUseless = false;
    try {
      return await queryPlainly(client, statement, values);
    } catch (error) {
      isUseless = isAway(error) || isStale(error);
      throw error;
    } finally {
      client.release(isUseless);
    }
  },

  length: () => 0,
});

export const queryPlainly = async (
  client: pg.ClientBase,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Answered> => {
  const { rows, rowCount } = await client.query({ ...(name && { name }), text, values: [...values] });
  return { rows, count: rowCount ?? 0 };
};
