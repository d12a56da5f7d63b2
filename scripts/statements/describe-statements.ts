import pg from 'pg';
import type { Connection } from '#server/base/store/database';
import type { Statement } from '#server/base/store/statement';
import { type Node, nodesIn, readNodeTree, wordOf } from './node-tree.ts';
import { type Callable, type Catalog, columnsOf, nullableColumns } from './nullable-columns.ts';

/** A statement as PostgreSQL understands it. Types have PostgreSQL's names. */
export interface Description {
  readonly values: readonly string[];
  readonly columns: readonly { readonly name: string; readonly type: string; readonly isNullable: boolean }[];
}

/** Of statements that this database can run; none of them runs. */
export const describeStatements = async (
  connection: Connection,
  statements: readonly Statement[],
): Promise<Description[]> => {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const types = await prepareAll(client, statements);
    const queries = await analyzeAll(client, statements, types);
    const catalog = await readCatalog(client);
    return types.map(({ values, columns }, index) => {
      const query = queries[index] as Node;
      const nullable = nullableColumns(query, catalog);
      return {
        values,
        columns: columnsOf(query).map((column, place) => ({
          name: wordOf(column, 'resname'),
          type: columns?.[place] ?? '',
          isNullable: nullable[place] ?? true,
        })),
      };
    });
  } finally {
    await client.end();
  }
};

interface StatementTypes {
  readonly values: readonly string[];
  /** Null without columns. */
  readonly columns: readonly string[] | null;
}

const prepareAll = async (client: pg.Client, statements: readonly Statement[]) => {
  for (const [index, { name, text }] of statements.entries()) {
    await client.query(`prepare posthorn_${index} as ${text}`).catch(withName(name));
  }
  const { rows } = await client.query<StatementTypes & { index: number }>(
    `select substring(name from '\\d+')::int as index, parameter_types::text[] as values, result_types::text[] as columns
       from pg_prepared_statements where name like 'posthorn\\_%' order by 1`,
  );
  return rows;
};

/** The body of an SQL function is stored analyzed: names are resolved, and outer joins noted at each column. */
const analyzeAll = async (client: pg.Client, statements: readonly Statement[], types: readonly StatementTypes[]) => {
  for (const [index, { name, text }] of statements.entries()) {
    const values = types[index]?.values.join(', ');
    const create = `create function pg_temp.posthorn_${index}(${values}) returns void language sql begin atomic ${text}; end`;
    await client.query(create).catch(withName(name));
  }
  const { rows } = await client.query<{ body: string }>(
    `select prosqlbody::text as body from pg_proc where pronamespace = pg_my_temp_schema()
      order by substring(proname from '\\d+')::int`,
  );
  return rows.map(({ body }) => nodesIn(readNodeTree(body))[0]);
};

const withName = (name: string) => (error: Error) => {
  throw new Error(`PostgreSQL refuses ${name}: ${error.message}`, { cause: error });
};

const readCatalog = async (client: pg.Client): Promise<Catalog> => {
  const { rows: columns } = await client.query<{ key: string }>(
    `select attrelid || '.' || attnum as key from pg_attribute where attnotnull`,
  );
  const { rows: functions } = await client.query<Callable & { oid: string }>(
    `select oid::text, proname as name, proisstrict as "isStrict", exists (
        select from pg_cast where castfunc = p.oid and castsource not in ('json'::regtype, 'jsonb'::regtype)) as "isCast"
       from pg_proc p where pronamespace = 'pg_catalog'::regnamespace or proname = 'posthorn_now'`,
  );
  const { rows: operators } = await client.query<Callable & { oid: string }>(
    `select o.oid::text, oprname as name, proisstrict as "isStrict", false as "isCast"
       from pg_operator o join pg_proc p on p.oid = o.oprcode`,
  );
  return {
    notNullColumns: new Set(columns.map(({ key }) => key)),
    functions: new Map(functions.map((one) => [one.oid, one])),
    operators: new Map(operators.map((one) => [one.oid, one])),
  };
};
