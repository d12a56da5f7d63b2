import { type Database, type Statement, sql } from './database.ts';

/** A column of sealed texts, so that all of them can be sealed anew. Declared by the store that writes its table. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Those that another key than this one sealed, by `id`, which is as the place of the text has it. */
  sealedBefore(newestKey: string, after: string, most: number): Promise<{ id: string; sealed: string }[]>;
  /** False when it was written meanwhile. */
  replace(id: string, before: string, sealed: string): Promise<boolean>;
  /** How many texts each key sealed. */
  counts(): Promise<{ key: string; count: number }[]>;
}

/** `replace` puts $3 in the place of $2 in the row $1. `id` is an expression where the place has no plain id. */
export const sealedColumn = (
  db: Database,
  { table, column, id = 'id', replace }: { table: string; column: string; id?: string; replace: Statement },
): SealedColumn => {
  const name = `sealed.${table}.${column}`;
  const keyOf = `split_part(${column}, '.', 2)`;
  // Some texts are emptied when they are of no more use.
  const isSealed = `${column} like 'v1.%'`;
  const sealedBefore = sql(
    `${name}.before`,
    `select ${id} as id, ${column} as sealed from ${table}
      where ${isSealed} and ${keyOf} <> $1 and ${id} > $2 order by 1 limit $3`,
  );
  const counts = sql(
    `${name}.counts`,
    `select ${keyOf} as key, count(*)::int as count from ${table} where ${isSealed} group by 1`,
  );
  return {
    table,
    column,
    sealedBefore: (newestKey, after, most) => db.query(sealedBefore, [newestKey, after, most]),
    replace: async (row, before, sealed) => (await db.run(replace, [row, before, sealed])) > 0,
    counts: () => db.query(counts),
  };
};
