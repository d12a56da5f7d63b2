import { type Database, type RowOf, type Statement, sql, type ValuesArgument } from '#server/base/store/database';
import { type Migration, readApplied } from '#server/base/store/migrate';

export const reads = ['accounts', 'media', 'posts', 'renditions', 'users', 'workspaces'];

const tableNames = sql(
  'backup.tables',
  `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not relispartition order by relname`,
);
/** Leaves out generated columns. */
const columnsOf = sql(
  'backup.columns',
  `select attname as name from pg_attribute
    where attrelid = to_regclass(quote_ident($1)) and attnum > 0 and not attisdropped and attgenerated = ''
    order by attnum`,
);
const foreignKeys = sql(
  'backup.foreignKeys',
  `select conrelid::regclass::text as "table", quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
     from pg_constraint
    where contype = 'f' and conparentid = 0 and connamespace = current_schema()::regnamespace order by 1, 2`,
);
const identityColumns = sql(
  'backup.identityColumns',
  `select attrelid::regclass::text as "table", quote_ident(attname) as "column",
          pg_get_serial_sequence(attrelid::regclass::text, attname) as sequence
     from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attidentity <> ''`,
);
/** Of the current schema, without those of extensions. */
const functions = sql(
  'backup.functions',
  `select p.proname as name, p.oid::regprocedure::text as signature from pg_proc p
    where p.pronamespace = current_schema()::regnamespace
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
);
const anyUser = sql('backup.anyUser', 'select id from users limit 1');
const postgresVersion = sql('backup.postgres', `select current_setting('server_version') as version`);
const mediaIds = sql('backup.media', 'select id from media order by id');
const fittedIds = sql('backup.fittedFiles', 'select id from renditions where refused is null and not lost order by id');
const mediaTypes = sql(
  'backup.mediaTypes',
  `select id, mime_type from media
   union all select id, mime_type from renditions where mime_type is not null`,
);

type ForeignKey = RowOf<typeof foreignKeys>;

export type BackupStore = ReturnType<typeof createBackupStore>;

export const createBackupStore = (db: Database) => {
  const namesOf = async <Values>(query: Statement<Values, { name: string }>, ...values: ValuesArgument<Values>) =>
    (await db.query(query, ...values)).map(({ name }) => name);
  const each = async <T>(items: readonly T[], statement: (item: T) => string) => {
    for (const item of items) await db.script(statement(item));
  };
  return {
    transaction: db.transaction,

    /** All reads of the transaction see the same moment. Must be its first statement. */
    useSnapshot: () => db.script('set transaction isolation level repeatable read, read only'),
    /** The transaction stays open, without statements, while the files are restored. */
    disableIdleTimeout: () => db.script('set local idle_in_transaction_session_timeout = 0'),

    postgres: async () => (await db.query(postgresVersion))[0]?.version ?? '',
    applied: () => readApplied(db),
    tables: () => namesOf(tableNames),
    columns: (table: string) => namesOf(columnsOf, [table]),
    contents: async () => (await db.query(contents))[0],
    mediaIds: async () => (await db.query(mediaIds)).map(({ id }) => id),
    fittedIds: async () => (await db.query(fittedIds)).map(({ id }) => id),
    mediaTypes: async () => new Map((await db.query(mediaTypes)).map(({ id, mimeType }) => [id, mimeType])),

    /** `copy (select …)` works for partitioned tables too; `copy <table>` does not. */
    read: (table: string, columns: readonly string[]) => db.copyTo(`(select ${columns.join(', ')} from ${table})`),
    write: (table: string, columns: readonly string[], rows: AsyncIterable<Buffer>) =>
      db.copyFrom(`${table} (${columns.join(', ')})`, rows),

    /** Nobody can sign up until the end of the transaction. */
    lockUsers: async () => {
      await db.script('lock table users in access exclusive mode');
      return { isEmpty: (await db.query(anyUser)).length === 0 };
    },
    /** Removes everything that migrations and the scheduler of recurring jobs have created, and nothing else. */
    dropAll: async (migrations: readonly Migration[]) => {
      const all = await namesOf(tableNames);
      const ours = [...posthornTables(all, migrations), ...all.filter((name) => excludedTables.includes(name))];
      const words = wordsOf(migrations);
      await db.script(`drop table ${ours.join(', ')} cascade`);
      const created = (await db.query(functions)).filter(({ name }) => words.has(name));
      await each(created, ({ signature }) => `drop function ${signature} cascade`);
    },

    /** Foreign keys form cycles, so no order of tables satisfies them. Returns the argument of `checkReferences`. */
    dropReferences: async () => {
      const all = await db.query(foreignKeys);
      await each(all, ({ table, name }) => `alter table ${table} drop constraint ${name}`);
      return all;
    },
    checkReferences: (all: readonly ForeignKey[]) =>
      each(all, ({ table, name, definition }) => `alter table ${table} add constraint ${name} ${definition}`),

    /**
     * Removes rows that migrations have inserted, and disables triggers, which would insert rows that the backup has
     * too.
     */
    clear: async (tables: readonly string[]) => {
      await each(tables, (table) => `alter table ${table} disable trigger user`);
      await db.script(`truncate ${tables.join(', ')}`);
    },
    resume: async (tables: readonly string[]) => {
      await each(tables, (table) => `alter table ${table} enable trigger user`);
      const all = await db.query(identityColumns);
      await each(
        all,
        ({ table, column, sequence }) =>
          `select setval('${sequence}', coalesce(max(${column}), 0) + 1, false) from ${table}`,
      );
    },
  };
};

const contents = sql(
  'backup.contents',
  `select (select count(*)::int from users) as people, (select count(*)::int from workspaces) as workspaces,
          count(*)::int as posts, count(*) filter (where status = 'Scheduled')::int as scheduled,
          count(*) filter (where status = 'Publishing')::int as publishing,
          (select count(*)::int from accounts) as accounts, (select count(*)::int from media) as files from posts`,
);

/** The tables that our migrations mention. Other tables in the schema belong to other programs. */
export const posthornTables = (names: readonly string[], migrations: readonly Migration[]) => {
  const words = wordsOf(migrations);
  return names.filter((name) => words.has(name) && !excludedTables.includes(name));
};

const wordsOf = (migrations: readonly Migration[]) =>
  new Set(migrations.flatMap(({ sql: text }) => text.replaceAll(/--.*/g, '').match(/\w+/g) ?? []));

/** Not needed: the manifest names the last migration, and every start sets up the recurring jobs. */
export const excludedTables = ['schema_migrations', 'agenda_jobs', 'agenda_logs'];
