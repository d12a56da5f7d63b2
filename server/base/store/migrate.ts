import { type Database, sql } from './database.ts';
import { isLocked } from './pg-errors.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /**
   * Removes what the previous release uses, so it waits until no process of that release is connected. Only contracting
   * migrations wait, so only they may depend on one, and the code works before and after each of them.
   */
  readonly contracts?: true;
}

/** A contracting migration, and the sessions it waits for. */
export interface Postponed {
  readonly migration: Migration;
  readonly sessions: readonly { readonly pid: number; readonly about: string }[];
}

export interface Applied {
  number: number;
  name: string;
  /** Whether the previous release can still use the database; absent if an early release migrated it. */
  additive?: boolean;
}

const migrationLock = 727001; // advisory lock: one process migrates and the others wait
const dumpLock = 727005; // advisory lock: one process dumps the database before that
const defaultWaitMs = 5_000;

const takeLock = sql('migrate.lock', 'select pg_advisory_xact_lock($1)', 'locks');
/** Reads pg_class, because `to_regclass` alone would answer from a cache that is older than the wait for the lock. */
const tableExists = sql(
  'migrate.exists',
  `select exists (select from pg_class where oid = to_regclass('schema_migrations')) as exists`,
);
/** Early releases created the table without the column. */
const hasAdditive = sql(
  'migrate.hasAdditive',
  `select exists (select from pg_attribute where attrelid = to_regclass('schema_migrations') and attname = 'additive'
     and not attisdropped) as exists`,
);
const allApplied = sql('migrate.applied', 'select number, name from schema_migrations order by number');
const allWithAdditive = sql(
  'migrate.appliedWithAdditive',
  'select number, name, additive from schema_migrations order by number',
);
const record = sql('migrate.record', 'insert into schema_migrations (number, name, additive) values ($1, $2, $3)');

const setLockTimeout = sql('migrate.lockTimeout', `select set_config('lock_timeout', $1, true)`);
const about = `concat_ws(', ', nullif(a.application_name, ''), host(a.client_addr), a.state) as about`;
/**
 * Sessions of processes with fewer migrations, by their application name. Early builds set none; with $2, sessions of our
 * role without a name count too.
 */
const earlier = sql(
  'migrate.earlier',
  `select a.pid, ${about} from pg_stat_activity a
    where a.datname = current_database() and a.pid <> pg_backend_pid()
      and (substring(a.application_name from '^posthorn (\\d+)$')::int < $1
        or ($2 and a.application_name = '' and a.usename = current_user and a.backend_type = 'client backend'))
    order by a.backend_start`,
);
/** Holders of the advisory lock first; else sessions that left a transaction open, which may hold a table. */
const holders = sql(
  'migrate.holders',
  `select a.pid, ${about}
     from pg_stat_activity a
     left join pg_locks l on l.pid = a.pid and l.locktype = 'advisory' and l.classid = 0 and l.objid = $1 and l.granted
    where a.datname = current_database() and a.pid <> pg_backend_pid()
      and (l.pid is not null or a.state like 'idle in transaction%')
    order by l.pid is null, a.xact_start limit 1`,
);

/**
 * Forward only. Returns the migrations it applied; postponed ones are left for a later call, and so are those in `without`.
 * If a lock is held for longer than `waitMs`, the error names the holder: a session of a dead program may hold it for hours.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  { waitMs = defaultWaitMs, without = [] }: { waitMs?: number; without?: readonly number[] } = {},
): Promise<Migration[]> {
  refuseGaps(migrations);
  const candidates = migrations.filter(({ number }) => !without.includes(number));
  const applied: Migration[] = [];
  for (;;) {
    const next = await database
      .transaction(async () => {
        // Zero would mean no timeout.
        await database.query(setLockTimeout, [`${Math.max(Math.ceil(waitMs), 1)}ms`]);
        return applyNext(database, candidates);
      })
      .catch((error: unknown) => throwWithHolder(database, error));
    if (!next) return applied;
    applied.push(next);
  }
}

async function throwWithHolder(database: Database, error: unknown): Promise<never> {
  if (!isLocked(error)) throw error;
  const [holder] = await database.query(holders, [migrationLock]);
  const who = holder ? `The session ${holder.pid} of PostgreSQL (${holder.about})` : 'Another session of PostgreSQL';
  const end = holder ? `: select pg_terminate_backend(${holder.pid})` : '';
  throw new Error(`${who} holds what the migrations need. If no other Posthorn is starting, end that session${end}`, {
    cause: error,
  });
}

function refuseGaps(migrations: readonly Migration[]): void {
  for (const [index, { number, name }] of migrations.entries()) {
    if (number !== index + 1) throw new Error(`Migration ${name} has number ${number} where ${index + 1} is expected`);
  }
}

async function applyNext(database: Database, migrations: readonly Migration[]): Promise<Migration | undefined> {
  await database.query(takeLock, [migrationLock]);
  await createRecord(database);
  const { next } = await planNext(database, migrations);
  if (next) await apply(database, next);
  return next;
}

interface Plan {
  /** Absent when all are applied or postponed. */
  readonly next?: Migration | undefined;
  readonly postponed?: Postponed;
}

/** In order, but the others do not wait for contracting ones. */
async function planNext(database: Database, migrations: readonly Migration[]): Promise<Plan> {
  const applied = await readApplied(database);
  const pending = pendingAfter(applied, migrations);
  const contracting = pending.find((one) => !isNeeded(one));
  if (!contracting) return { next: pending[0] };
  const sessions = await database.query(earlier, [contracting.number, mayHaveUnnamedSessions(applied, migrations)]);
  if (sessions.length === 0) return { next: pending[0] };
  return { next: pending.find(isNeeded), postponed: { migration: contracting, sessions } };
}

/**
 * Whether an early build, which named no session, may be connected: one migrated this database, and no contracting
 * migration has waited for its end yet.
 */
const mayHaveUnnamedSessions = (applied: readonly Applied[], migrations: readonly Migration[]) => {
  const firstContracting = migrations.find((one) => !isNeeded(one))?.number;
  return (
    applied.some(({ number, additive }) => number === 1 && !additive) &&
    !applied.some(({ number }) => number === firstContracting)
  );
};

/** Refuses a database that this release does not know. */
export const pendingAfter = (applied: readonly Applied[], migrations: readonly Migration[]) => {
  refuseUnknown(applied, migrations);
  const numbers = new Set(applied.map(({ number }) => number));
  return migrations.filter(({ number }) => !numbers.has(number));
};

async function createRecord(database: Database): Promise<void> {
  const [table] = await database.query(tableExists);
  if (!table?.exists) {
    await database.script(`create table schema_migrations (number int primary key, name text not null,
      applied_at timestamptz not null default now(), additive boolean not null default false)`);
    return;
  }
  const [column] = await database.query(hasAdditive);
  if (!column?.exists) {
    await database.script('alter table schema_migrations add column additive boolean not null default false');
  }
}

/** In order; none when Posthorn has never used this database. */
export async function readApplied(database: Database): Promise<Applied[]> {
  const [table] = await database.query(tableExists);
  if (!table?.exists) return [];
  const [column] = await database.query(hasAdditive);
  return column?.exists ? database.query(allWithAdditive) : database.query(allApplied);
}

/** The migrations that are not applied yet. */
export const pendingIn = async (database: Database, migrations: readonly Migration[]): Promise<readonly Migration[]> =>
  pendingAfter(await readApplied(database), migrations);

/** The code works without a contracting migration, but not without any other. */
export const isNeeded = ({ contracts }: Migration) => contracts !== true;

export const describePending = (pending: readonly Migration[], migrations: readonly Migration[]) =>
  pending.length === migrations.length
    ? 'The database has no tables of Posthorn yet: `npm start` makes them, or run `posthorn doctor --fix`.'
    : `Migrations pending: ${listNames(pending)}. Take a backup; a start of this release applies them, or run \`posthorn doctor --fix\`.`;

export const listNames = (some: readonly Migration[]) => some.map(({ number, name }) => `${number} ${name}`).join(', ');

/**
 * Calls `work` with the next migration, in one process at a time: the others then find it done. There is no timeout,
 * because a large database takes long.
 */
export const beforeNextMigration = async (
  database: Database,
  migrations: readonly Migration[],
  work: (next: Migration) => Promise<void>,
): Promise<void> => {
  if ((await pendingIn(database, migrations)).length === 0) return;
  await database.transaction(async () => {
    await database.script('set local idle_in_transaction_session_timeout = 0');
    await database.query(takeLock, [dumpLock]);
    const { next } = await planNext(database, migrations);
    if (next !== undefined) await work(next);
  });
};

/** The migration that `migrate` would postpone now, if any. */
export const postponedIn = async (database: Database, migrations: readonly Migration[]) =>
  (await planNext(database, migrations)).postponed;

export const describePostponed = ({ migration: { number, name }, sessions }: Postponed): string =>
  `Migration ${number} "${name}" waits until every process of an earlier release has ended. Stop those that are still ` +
  `connected: ${sessions.map(({ pid, about }) => `session ${pid} of PostgreSQL (${about})`).join(', ')}. The running ` +
  'service then applies it within a minute, and works without it until then';

/**
 * Refuses a database that a newer release or another program has migrated. Migrations that only add are accepted, so that
 * the release before can be started again; `strict` refuses them too.
 */
export function refuseUnknown(
  applied: readonly Applied[],
  migrations: readonly Migration[],
  { strict = false }: { strict?: boolean } = {},
): void {
  const byNumber = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const { number, name, additive } of applied) {
    const expected = byNumber.get(number);
    if (!expected && additive && !strict) continue;
    if (!expected) {
      const newest = applied.at(-1)?.number;
      throw new Error(
        `The database was migrated by a newer Posthorn (${newest} > ${migrations.length}); ` +
          'start that version or restore a backup',
      );
    }
    if (expected.name !== name) {
      throw new Error(
        `Migration ${number} of the database is "${name}", and this Posthorn knows it as "${expected.name}"; ` +
          'start the version that migrated it or restore a backup',
      );
    }
  }
}

async function apply(database: Database, { number, name, sql: text, contracts }: Migration): Promise<void> {
  try {
    await database.script(text);
  } catch (cause) {
    throw new Error(`Migration ${number} "${name}" failed and was rolled back: ${(cause as Error).message}`, { cause });
  }
  await database.run(record, [number, name, contracts !== true]);
}
