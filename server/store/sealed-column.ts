import { type Database, type Statement, sql } from './database.ts';
import { isNotMigrated } from './pg-errors.ts';

/** A column of sealed texts, so that all of them can be sealed anew. Declared by the store that writes its table. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** What one text is, for operators: `account token`. */
  readonly noun: string;
  /** All of them, by `id`. */
  texts(after: string, most: number): Promise<{ id: string; sealed: string }[]>;
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
  {
    table,
    column,
    noun,
    id = 'id',
    replace,
  }: { table: string; column: string; noun: string; id?: string; replace: Statement },
): SealedColumn => {
  const name = `sealed.${table}.${column}`;
  const keyOf = `split_part(${column}, '.', 2)`;
  // Some texts are emptied when they are of no more use.
  const isSealed = `${column} like 'v1.%'`;
  const texts = sql(
    `${name}.texts`,
    `select ${id} as id, ${column} as sealed from ${table} where ${isSealed} and ${id} > $1 order by 1 limit $2`,
  );
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
    noun,
    texts: (after, most) => noneBeforeMigration(db.query(texts, [after, most])),
    sealedBefore: (newestKey, after, most) => db.query(sealedBefore, [newestKey, after, most]),
    replace: async (row, before, sealed) => (await db.run(replace, [row, before, sealed])) > 0,
    counts: () => noneBeforeMigration(db.query(counts)),
  };
};

/** A start looks before it migrates, when the table may not be there. */
const noneBeforeMigration = <Row>(rows: Promise<Row[]>) =>
  rows.catch((error: unknown): Row[] => {
    if (isNotMigrated(error)) return [];
    throw error;
  });
