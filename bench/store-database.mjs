import { importCompiled } from './compiled.mjs';

/** What a store of the service needs of a database. `send` takes a query of pg and returns its rows. */
export const storeDatabase = async (send) => {
  const { propertyOf } = await importCompiled('server/base/store/column-name.ts');
  const rename = (row) => Object.fromEntries(Object.entries(row).map(([column, value]) => [propertyOf(column), value]));
  const query = async ({ name, text, names }, values = []) => {
    const rows = await send({ name, text, values: names ? names.map((one) => values[one]) : values });
    return rows.map(rename);
  };
  return { query, queryReplica: query, run: async (...asked) => (await query(...asked)).length };
};
