import { type Database, sql } from './database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
}

interface Applied {
  number: number;
  name: string;
}

const migrating = 727001; // advisory lock, so that of several processes one migrates and the others wait

const takeLock = sql('migrate.lock', 'select pg_advisory_xact_lock($1)');
const tableExists = sql('migrate.exists', `select to_regclass('schema_migrations') is not null as exists`);
const allApplied = sql('migrate.applied', 'select number, name from schema_migrations order by number');
const record = sql('migrate.record', 'insert into schema_migrations (number, name) values ($1, $2)');

/** Forward only. Answers with the migrations it applied. */
export async function migrate(database: Database, migrations: readonly Migration[]): Promise<Migration[]> {
  refuseGaps(migrations);
  const done: Migration[] = [];
  for (;;) {
    const next = await database.transaction(() => applyNext(database, migrations));
    if (!next) return done;
    done.push(next);
  }
}

function refuseGaps(migrations: readonly Migration[]): void {
  for (const [index, { number, name }] of migrations.entries()) {
    if (number !== index + 1) throw new Error(`Migration ${name} has number ${number} where ${index + 1} is expected`);
  }
}

async function applyNext(database: Database, migrations: readonly Migration[]): Promise<Migration | undefined> {
  await database.query(takeLock, [migrating]);
  const applied = await readApplied(database);
  refuseUnknown(applied, migrations);
  const next = migrations[applied.length];
  if (next) await apply(database, next);
  return next;
}

async function readApplied(database: Database): Promise<Applied[]> {
  const [table] = await database.query<{ exists: boolean }>(tableExists);
  if (table?.exists) return database.query<Applied>(allApplied);
  await database.script(`create table schema_migrations (
    number int primary key, name text not null, applied_at timestamptz not null default now())`);
  return [];
}

function refuseUnknown(applied: readonly Applied[], migrations: readonly Migration[]): void {
  for (const [index, { number, name }] of applied.entries()) {
    const known = migrations[index];
    if (!known) {
      const newest = applied.at(-1)?.number;
      throw new Error(
        `The database was migrated by a newer Posthorn (${newest} > ${migrations.length}); ` +
          'start that version or restore a backup',
      );
    }
    if (known.number !== number || known.name !== name) {
      throw new Error(
        `Migration ${number} of the database is "${name}", and this Posthorn knows ${known.number} as "${known.name}"; ` +
          'start the version that migrated it or restore a backup',
      );
    }
  }
}

async function apply(database: Database, { number, name, sql: text }: Migration): Promise<void> {
  try {
    await database.script(text);
  } catch (cause) {
    throw new Error(`Migration ${number} "${name}" failed and was rolled back: ${(cause as Error).message}`, { cause });
  }
  await database.run(record, [number, name]);
}
