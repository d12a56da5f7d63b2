import { type Database, type Statement, sql } from './database.ts';
import { isNotMigrated } from './pg-errors.ts';

/** A column of sealed texts, for key rotation. Declared by the store that owns the table. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** Names one text in messages to operators, such as `account token`. */
  readonly noun: string;
  /** Ordered by `id`. */
  texts(after: string, most: number): Promise<SealedText[]>;
  /** Texts sealed with another key than this one, ordered by `id`, the same id as in the `place` of the seal. */
  sealedBefore(newestKey: string, after: string, most: number): Promise<SealedText[]>;
  /** False when the text was changed meanwhile. */
  replace(id: string, before: string, sealed: string): Promise<boolean>;
  /** How many texts each key sealed. */
  counts(): Promise<{ key: string; count: number }[]>;
}

interface SealedText {
  readonly id: string;
  readonly sealed: string;
}

/** `replace` sets row $1 from $2 to $3. `id` is an SQL expression for tables without a plain id. */
export const sealedColumn = (
  db: Database,
  {
    table,
    column,
    noun,
    id = 'id',
    replace,
  }: {
    table: string;
    column: string;
    noun: string;
    id?: string;
    replace: Statement<readonly [string, string, string]>;
  },
): SealedColumn => {
  const name = `sealed.${table}.${column}`;
  const keyOf = `split_part(${column}, '.', 2)`;
  // Texts that are no longer needed are emptied.
  const isSealed = `${column} like 'v1.%'`;
  const texts = sql(
    `${name}.texts`,
    `select ${id} as id, ${column} as sealed from ${table} where ${isSealed} and ${id} > $1 order by 1 limit $2`,
  ).holds<SealedText>();
  const sealedBefore = sql(
    `${name}.before`,
    `select ${id} as id, ${column} as sealed from ${table}
      where ${isSealed} and ${keyOf} <> $1 and ${id} > $2 order by 1 limit $3`,
  ).holds<SealedText>();
  const counts = sql(
    `${name}.counts`,
    `select ${keyOf} as key, count(*)::int as count from ${table} where ${isSealed} group by 1`,
  ).holds<{ key: string; count: number }>();
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

/** Startup checks the columns before it migrates, when the table may not exist yet. */
const noneBeforeMigration = <Row>(rows: Promise<Row[]>) =>
  rows.catch((error: unknown): Row[] => {
    if (isNotMigrated(error)) return [];
    throw error;
  });
