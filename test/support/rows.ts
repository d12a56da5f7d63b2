import { sql } from '#server/base/store/database';
import type { Service } from './service.ts';

const allTables = sql(
  'test.allTables',
  `select c.relname as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`,
).holds<{ name: string }>();

/** Every row of every table, as text. */
export const readRows = async ({ database }: Pick<Service, 'database'>) => {
  const tables = await database.query(allTables);
  const each = tables.map(
    ({ name }) => `select '${name}' as name, array(select t::text from ${name} t order by 1) as rows`,
  );
  const rows = await database.query(
    sql('test.allRows', each.join(' union all ')).holds<{ name: string; rows: string[] }>(),
  );
  return new Map(rows.map((row) => [row.name, row.rows.join('\n')]));
};

/** The names of the tables that differ. */
export const changedTables = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) =>
  [...after].filter(([name, rows]) => before.get(name) !== rows).map(([name]) => name);
