import type { BackupContents } from '#contracts/backups';
import { type Database, sql } from '#server/base/store/database';
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
const mediaBytes = sql('backup.mediaBytes', 'select coalesce(sum(bytes), 0)::float8 as bytes from media');
const mediaTypes = sql(
  'backup.mediaTypes',
  `select id, mime_type as "mimeType" from media
   union all select id, mime_type from renditions where mime_type is not null`,
);

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

export type BackupStore = ReturnType<typeof createBackupStore>;

export const createBackupStore = (db: Database) => {
  const namesOf = async (...query: Parameters<typeof db.query>) =>
    (await db.query<{ name: string }>(...query)).map(({ name }) => name);
  const each = async <T>(items: readonly T[], statement: (item: T) => string) => {
    for (const item of items) await db.script(statement(item));
  };
  return {
    transaction: db.transaction,

    /** All reads of the transaction see the same moment. Must be its first statement. */
    useSnapshot: () => db.script('set transaction isolation level repeatable read, read only'),
    /** The transaction stays open, without statements, while the files are restored. */
    disableIdleTimeout: () => db.script('set local idle_in_transaction_session_timeout = 0'),

    postgres: async () => (await db.query<{ version: string }>(postgresVersion))[0]?.version ?? '',
    applied: () => readApplied(db),
    tables: () => namesOf(tableNames),
    columns: (table: string) => namesOf(columnsOf, [table]),
    contents: async () => (await db.query<BackupContents>(contents))[0],
    mediaIds: async () => (await db.query<{ id: string }>(mediaIds)).map(({ id }) => id),
    fittedIds: async () => (await db.query<{ id: string }>(fittedIds)).map(({ id }) => id),
    mediaTypes: async () =>
      new Map((await db.query<{ id: string; mimeType: string }>(mediaTypes)).map(({ id, mimeType }) => [id, mimeType])),

    /** `copy (select …)` works for partitioned tables too; `copy <table>` does not. */
    read: (table: string, columns: readonly string[]) => db.copyTo(`(select ${columns.join(', ')} from ${table})`),
    write: (table: string, columns: readonly string[], rows: AsyncIterable<Buffer>) =>
      db.copyFrom(`${table} (${columns.join(', ')})`, rows),

    /** Nobody can sign up until the end of the transaction. */
    lockUsers: async () => {
      await db.script('lock table users in access exclusive mode');
      return { isEmpty: (await db.query<{ id: string }>(anyUser)).length === 0 };
    },
    /** Removes everything that migrations and the scheduler of recurring jobs have created, and nothing else. */
    dropAll: async (migrations: readonly Migration[]) => {
      const all = await namesOf(tableNames);
      const ours = [...posthornTables(all, migrations), ...all.filter((name) => excludedTables.includes(name))];
      const words = wordsOf(migrations);
      await db.script(`drop table ${ours.join(', ')} cascade`);
      const created = (await db.query<{ name: string; signature: string }>(functions)).filter(({ name }) =>
        words.has(name),
      );
      await each(created, ({ signature }) => `drop function ${signature} cascade`);
    },

    /** Foreign keys form cycles, so no order of tables satisfies them. Returns the argument of `checkReferences`. */
    dropReferences: async () => {
      const all = await db.query<ForeignKey>(foreignKeys);
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
      const all = await db.query<{ table: string; column: string; sequence: string }>(identityColumns);
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

const scratchPrefix = 'posthorn_verify_';
const unusedScratch = sql(
  'backup.unusedScratch',
  `select datname as name from pg_database d where left(datname, length($1)) = $1
      and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
);

/** Databases for tests of a backup. */
export const createScratchStore = (db: Database) => ({
  prefix: scratchPrefix,
  create: (name: string) => db.script(`create database ${name}`),
  drop: (name: string) => db.script(`drop database if exists ${name}`),
  /**
   * A killed process leaves its database behind. One that another process has just created has no session yet either: if
   * it is dropped here, that test fails once.
   */
  dropUnused: async () => {
    for (const { name } of await db.query<{ name: string }>(unusedScratch, [scratchPrefix])) {
      await db.script(`drop database if exists ${name}`).catch(() => undefined);
    }
  },
});

const backupColumns = `id, reason, state, started_at as "startedAt", finished_at as "finishedAt", bytes::float8 as bytes, path,
  contents, verified_at as "verifiedAt", problem, host`;
const listBackups = sql('backups.list', `select ${backupColumns} from backups order by started_at desc limit 200`);
/** Takes over from a process that died, and retries some time after a failure. */
const claimNight = sql(
  'backups.claimNight',
  `insert into backups (id, reason, slot, state, started_at, lease_until)
   select $1, 'Nightly', $2, 'Running', $3, $3::timestamptz + $4 * interval '1 ms'
    where (select min(applied_at) from schema_migrations) < $6
   on conflict (slot) do update
      set state = 'Running', started_at = excluded.started_at, lease_until = excluded.lease_until, finished_at = null,
          problem = null
    where (backups.state = 'Running' and backups.lease_until < $3)
       or (backups.state = 'Failed' and backups.finished_at < $3::timestamptz - $5 * interval '1 ms')
   returning id`,
);
/** One at a time: a second one would only make both slower. */
const claimAsked = sql(
  'backups.claimAsked',
  `insert into backups (id, reason, state, started_at, lease_until)
   select $1, 'Asked', 'Running', $2, $2::timestamptz + $3 * interval '1 ms'
    where not exists (select from backups where state = 'Running' and lease_until > $2)
   returning id`,
);
const extendLease = sql(
  'backups.extend',
  `update backups set lease_until = $3::timestamptz + $4 * interval '1 ms'
    where id = $1 and started_at = $2 and finished_at is null`,
);
const saveMade = sql(
  'backups.made',
  `update backups set state = 'Made', path = $3, bytes = $4, contents = $5, host = $6
    where id = $1 and started_at = $2`,
);
const saveEnd = sql(
  'backups.end',
  `update backups set state = case when path is null then 'Failed' else 'Made' end, finished_at = $3, lease_until = null,
          verified_at = $4, problem = $5 where id = $1 and started_at = $2`,
);
/**
 * Ends backups of processes that died: keeps a finished file, else records the failure. `claimNight` makes unfinished
 * nightly backups again.
 */
const endAbandoned = sql(
  'backups.endAbandoned',
  `update backups set state = case when path is null then 'Failed' else 'Made' end, finished_at = $1, lease_until = null,
          problem = case when path is null then 'The process that made it ended before it was done.'
                         else 'The process that made it ended before it had tested it.' end
    where finished_at is null and lease_until < $1 and (slot is null or state = 'Made')`,
);
const goodAge = sql(
  'backups.goodAge',
  `select extract(epoch from $1::timestamptz - coalesce(
            (select max(started_at) from backups where verified_at is not null and problem is null),
            (select min(applied_at) from schema_migrations)))::float8 as seconds`,
);
const removeBackup = sql('backups.remove', 'delete from backups where id = $1');
const purgeFailed = sql('backups.purgeFailed', `delete from backups where state = 'Failed' and started_at < $1`);

export interface BackupRow {
  readonly id: string;
  readonly reason: 'Nightly' | 'Asked';
  readonly state: 'Running' | 'Made' | 'Failed';
  readonly startedAt: string;
  readonly finishedAt: string | null;
  readonly bytes: number | null;
  readonly path: string | null;
  readonly contents: BackupContents | null;
  readonly verifiedAt: string | null;
  readonly problem: string | null;
  readonly host: string | null;
}

/** A process that takes over changes `startedAt`, so that the earlier process no longer writes the row. */
export interface Claim {
  readonly id: string;
  readonly startedAt: Date;
}

export type BackupList = ReturnType<typeof createBackupList>;

/** The table of backups that the service made. */
export const createBackupList = (db: Database) => ({
  /** Newest first. */
  all: () => db.query<BackupRow>(listBackups),
  /**
   * Returns the id of the claimed row; undefined when the backup exists or another process is making it. A new
   * installation needs no backup of the night before it.
   */
  claimNight: async (
    id: string,
    {
      slot,
      slotAt,
      now,
      leaseMs,
      retryMs,
    }: { slot: string; slotAt: Date; now: Date; leaseMs: number; retryMs: number },
  ) => (await db.query<{ id: string }>(claimNight, [id, slot, now, leaseMs, retryMs, slotAt]))[0]?.id,
  claimAsked: async (id: string, now: Date, leaseMs: number) =>
    (await db.query<{ id: string }>(claimAsked, [id, now, leaseMs]))[0]?.id,
  extend: ({ id, startedAt }: Claim, now: Date, leaseMs: number) => db.run(extendLease, [id, startedAt, now, leaseMs]),
  /** False when another process has taken over. */
  saveMade: async (
    { id, startedAt }: Claim,
    { path, bytes, contents, host }: { path: string; bytes: number; contents?: BackupContents; host?: string },
  ) => (await db.run(saveMade, [id, startedAt, path, bytes, contents ?? null, host ?? null])) > 0,
  end: ({ id, startedAt }: Claim, now: Date, verifiedAt: Date | null, problem: string | null) =>
    db.run(saveEnd, [id, startedAt, now, verifiedAt, problem]),
  /** Age of the newest backup that is complete and passed its restore test; without one, of the installation. */
  goodAgeSeconds: async (now: Date) => (await db.query<{ seconds: number }>(goodAge, [now]))[0]?.seconds ?? 0,
  mediaBytes: async () => (await db.query<{ bytes: number }>(mediaBytes))[0]?.bytes ?? 0,
  endAbandoned: (now: Date) => db.run(endAbandoned, [now]),
  remove: (id: string) => db.run(removeBackup, [id]),
  purgeFailed: (before: Date) => db.run(purgeFailed, [before]),
});

/** The tables that our migrations mention. Other tables in the schema belong to other programs. */
export const posthornTables = (names: readonly string[], migrations: readonly Migration[]) => {
  const words = wordsOf(migrations);
  return names.filter((name) => words.has(name) && !excludedTables.includes(name));
};

const wordsOf = (migrations: readonly Migration[]) =>
  new Set(migrations.flatMap(({ sql: text }) => text.replaceAll(/--.*/g, '').match(/\w+/g) ?? []));

/** Not needed: the manifest names the last migration, and every start sets up the recurring jobs. */
export const excludedTables = ['schema_migrations', 'agenda_jobs', 'agenda_logs'];
