import { SettingError } from '#server/base/config/config';
import { type Check, checksNamed } from '#server/base/health/check';
import { migrations } from '#server/base/store/migrations/index';
import { type Database, type RowOf, sql } from './database.ts';
import { type ExpectedIndex, expectedAfter } from './expected-schema.ts';
import { readApplied } from './migrate.ts';

const foreignTables = sql(
  'schema-checks.foreignTables',
  `select c.relname as name, coalesce(quote_ident(pg_get_userbyid(c.relowner)), '') as owner,
     coalesce(quote_ident(current_user), '') as role,
     coalesce(has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
       and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'), false) as is_usable
   from unnest($1::text[]) as expected join pg_class c on c.oid = to_regclass(expected)
   where not pg_has_role(c.relowner, 'usage') order by c.relname`,
);
const missing = sql(
  'schema-checks.missing',
  'select name from unnest($1::text[]) as name where name is not null and to_regclass(name) is null order by name',
);

/** `role` is our own. */
type ForeignTable = RowOf<typeof foreignTables>;

/** Without a line when all tables are ours: a restore by another role leaves tables that we may not use or change. */
export const checkOwners = async (database: Database): Promise<Check[]> => {
  const { tables } = expectedAfter(migrations);
  const foreign = await database.query(foreignTables, [[...tables]]);
  return [...new Set(foreign.map(({ owner }) => owner))].map((owner) =>
    describeForeign(foreign.filter((table) => table.owner === owner)),
  );
};

/** Otherwise the first statement on such a table would fail, with a message that says neither the owner nor a step. */
export const mustUseTables = async (database: Database) => {
  const refused = (await checkOwners(database)).find(({ level }) => level === 'failure');
  if (refused) throw new SettingError(refused.message);
};

const namesInMessage = 3;

const describeForeign = (tables: readonly ForeignTable[]) => {
  const { failure, warning } = checksNamed('tables');
  const [{ owner, role } = { owner: '', role: '' }] = tables;
  const names = tables.map(({ name }) => name);
  const isLong = names.length > namesInMessage;
  const listed = `${names.slice(0, namesInMessage).join(', ')}${isLong ? ` and ${names.length - namesInMessage} more` : ''}`;
  const belong = `${names.length === 1 ? `The table ${listed} belongs` : `The tables ${listed} belong`} to the role ${owner}`;
  const statement = isLong
    ? `select format('alter table %I owner to ${role}', c.relname) from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relowner = '${owner}'::regrole \\gexec`
    : names.map((name) => `alter table ${name} owner to ${role};`).join(' ');
  const step = `In psql, as ${owner} or a superuser, run: ${statement}`;
  return tables.every(({ isUsable }) => isUsable)
    ? warning(
        `${belong}, so an upgrade by Posthorn, which is ${role}, cannot change ${names.length === 1 ? 'it' : 'them'}. ${step}`,
      )
    : failure(`${belong}, and Posthorn, which is ${role}, may not use ${names.length === 1 ? 'it' : 'them'}. ${step}`);
};

const missingIndexes = async (database: Database) => {
  const applied = new Set((await readApplied(database)).map(({ number }) => number));
  const { indexes } = expectedAfter(migrations.filter(({ number }) => applied.has(number)));
  const rows = await database.query(missing, [[...indexes.keys()]]);
  return rows.map(({ name }) => ({ name, ...(indexes.get(name) as ExpectedIndex) }));
};

const statementFor = ({ name, table, isUnique, definition }: ExpectedIndex & { name: string }) =>
  `create ${isUnique ? 'unique ' : ''}index ${name} on ${table} ${definition}`;

/** Without a line when none is missing. */
export const checkIndexes = async (database: Database): Promise<Check[]> => {
  const { failure, warning } = checksNamed('indexes');
  return (await missingIndexes(database)).map((index) => {
    const { name, table, isUnique } = index;
    const cost = isUnique ? `writes to ${table} that rely on it fail` : `reading ${table} is slow`;
    const message = `The index ${name} is missing, so ${cost}. Run \`posthorn doctor --fix\`, or in psql: ${statementFor(index)};`;
    return isUnique ? failure(message) : warning(message);
  });
};

export const restoreIndexes = async (database: Database, onMade: (name: string) => void) => {
  for (const index of await missingIndexes(database)) {
    await database.script(statementFor(index));
    onMade(index.name);
  }
};
