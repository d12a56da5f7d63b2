import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Description, describeStatements } from '#scripts/statements/describe-statements';
import { readStatements } from '#scripts/statements/read-statements';
import { sha256 } from '#server/base/sha256';
import { propertyOf } from '#server/base/store/column-name';
import type { Connection } from '#server/base/store/connection';
import { migrations } from '#server/base/store/migrations/index';
import type { Statement } from '#server/base/store/statement';
import { banner, lines } from './text.ts';

const path = 'generated/statements.ts';

/**
 * Starts PostgreSQL only when a statement, a migration or a script that describes them has changed. `isCheck` only says
 * that one has.
 */
export const emitStatements = async (root: string, { isCheck }: { isCheck: boolean }) => {
  const statements = await readStatements(root);
  const present = await readFile(join(root, path), 'utf8').catch(() => '');
  const isUpToDate = present.includes(await originOf(root)) && isDeepStrictEqual(marksIn(present), marksOf(statements));
  if (isCheck || isUpToDate) return { [path]: isUpToDate ? present : '' };
  const { startPostgres } = await import('#test/support/postgres');
  const { connection, template, stop } = await startPostgres();
  try {
    return { [path]: await printStatements({ ...connection, database: template }, statements, await originOf(root)) };
  } finally {
    await stop();
  }
};

/** Of all that descriptions follow from, but for the texts of the statements, which are marked one by one. */
export const originOf = async (root: string) => {
  const folder = join(root, 'scripts/statements');
  const scripts = [import.meta.filename, ...(await readdir(folder)).sort().map((file) => join(folder, file))];
  const sources = await Promise.all(scripts.map((file) => readFile(file, 'utf8')));
  return `// Of ${shortHash(JSON.stringify([migrations, sources]))}.`;
};

const marksOf = (statements: readonly Statement[]) => statements.map((one) => `${one.name} ${markOf(one)}`);

const markOf = ({ text, names }: Statement) => shortHash(JSON.stringify([text, names]));

const marksIn = (file: string) =>
  [...file.matchAll(/^ {2}'(.+?)': .* \/\/ (\w+)$/gm)].map(([, name, mark]) => `${name} ${mark}`);

const shortHash = (text: string) => sha256(text, 'hex').slice(0, 12);

/** What generated/statements.ts says of statements that this database can run. */
export const printStatements = async (connection: Connection, statements: readonly Statement[], origin: string) => {
  const descriptions = await describeStatements(connection, statements);
  const entries = statements.map((statement, index) => {
    const described = descriptions[index] as Description;
    const types = `values: ${printValues(described, statement)}; row: ${printRow(described, statement)}`;
    return `  '${statement.name}': { ${types} }; // ${markOf(statement)}`;
  });
  return lines(
    banner.trimEnd(),
    origin,
    '',
    '/** JSON of which its statement does not say what it holds. */',
    'export interface Json {',
    '  readonly [unknownContent]: never;',
    '}',
    '',
    'declare const unknownContent: unique symbol;',
    '',
    '/** As PostgreSQL describes them. It does not know whether a value may be null. */',
    'export interface Statements {',
    entries,
    '}',
  );
};

const printValues = ({ values }: Description, { name, names }: Statement) => {
  const types = values.map((type) => typeOf(type, valueTypes, name));
  return names ? printObject(names.map((one, index) => `${one}: ${types[index]}`)) : `[${types.join(', ')}]`;
};

const printRow = ({ columns }: Description, { name: statement }: Statement) =>
  printObject(
    columns
      .filter(({ type }) => type !== 'void')
      .map(({ name, type, isNullable }) => {
        const types = typeOf(type, rowTypes, statement);
        return `${printName(propertyOf(name))}: ${types}${isNullable ? ' | null' : ''}`;
      }),
  );

const printName = (name: string) => (/^\w+$/.test(name) ? name : `'${name}'`);

const printObject = (properties: readonly string[]) => (properties.length > 0 ? `{ ${properties.join('; ')} }` : '{}');

const typeOf = (type: string, types: Readonly<Record<string, string>>, statement: string) => {
  const found = types[type];
  if (found === undefined) throw new Error(`${statement}: say in scripts/emit-statements.ts what pg makes of ${type}`);
  return found;
};

/** What pg takes for a value. JSON is sent as text. */
const valueTypes = {
  bigint: 'number',
  'bigint[]': 'readonly number[]',
  boolean: 'boolean',
  'boolean[]': 'readonly boolean[]',
  bytea: 'Uint8Array',
  'bytea[]': 'readonly Uint8Array[]',
  'double precision': 'number',
  'double precision[]': 'readonly number[]',
  integer: 'number',
  'integer[]': 'readonly number[]',
  json: 'string',
  jsonb: 'string',
  'jsonb[]': 'readonly string[]',
  oid: 'number',
  real: 'number',
  text: 'string',
  'text[]': 'readonly string[]',
  'timestamp with time zone': 'string | Date',
  'timestamp with time zone[]': 'readonly (string | Date)[]',
  uuid: 'string',
  'uuid[]': 'readonly string[]',
};

/** What a row has, as server/base/store/types.ts reads it. */
const rowTypes = {
  bigint: 'string',
  boolean: 'boolean',
  bytea: 'Buffer',
  'double precision': 'number',
  integer: 'number',
  'integer[]': 'number[]',
  json: 'Json',
  jsonb: 'Json',
  name: 'string',
  numeric: 'string',
  real: 'number',
  text: 'string',
  'text[]': 'string[]',
  'timestamp with time zone': 'string',
  uuid: 'string',
};
