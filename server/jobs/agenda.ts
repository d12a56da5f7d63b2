import type { EventEmitter } from 'node:events';
import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda, type AgendaBackend, type Job } from 'agenda';
import pg from 'pg';
import { SettingError } from '#server/config/config';
import type { Connection } from '#server/store/database';
import { clientFor } from '#server/store/leader';
import { isLocked } from '#server/store/pg-errors';
import { inSessionName } from '#server/store/session-name';

/** Any number that nothing else in the database locks. */
const schemaLock = 727_002;
const usualWaitMs = 5_000;
/** A scan asks once for every job that is defined, so it decides what an idle process costs. */
const scanMs = 10_000;
/** How long a job stays locked when its process dies. Agenda locks up to a scan ahead. */
const lockMs = 30_000;

export interface OpenedAgenda {
  readonly agenda: Agenda;
  /** Begins nothing more; another instance does what recurs. */
  rest(): Promise<void>;
  close(): Promise<void>;
}

/** Agenda, which keeps time for recurring work: in PostgreSQL, or in MongoDB where the operator has one. */
export const openAgenda = async ({
  connection,
  mongodbUrl,
  name,
  waitMs = usualWaitMs,
  report,
}: {
  connection: Connection;
  mongodbUrl: string | undefined;
  /** Unique to this process. */
  name: string;
  /** For another process that makes its tables. */
  waitMs?: number;
  report: (error: unknown) => void;
}): Promise<OpenedAgenda> => {
  const { close, ...place } = mongodbUrl
    ? await inMongo(mongodbUrl, report)
    : await inPostgres(connection, waitMs, report);
  reportFailedUnlocks(place.backend, report);
  const agenda = new Agenda({
    ...place,
    name,
    processEvery: scanMs,
    defaultLockLifetime: lockMs,
    removeOnComplete: true,
  });
  agenda.on('error', report);
  agenda.on('fail', (cause: Error, { attrs }: Job, elsewhere?: boolean) => {
    // The process in which it failed reports it. What Agenda passes on from there is no job.
    if (elsewhere) return;
    report(new Error(`The recurring work "${attrs.name}" failed: ${cause.message}`, { cause }));
  });
  let resting: Promise<void> | undefined;
  const rest = () => {
    // Not drain(): that leaves a lock on what was taken ahead, and the next run waits for its end.
    resting ??= agenda.stop(false);
    return resting;
  };
  return {
    agenda,
    rest,
    close: () => rest().finally(close),
  };
};

/** Agenda does not wait for an unlock, so one that fails would end the process. The lock ends by itself after `lockMs`. */
const reportFailedUnlocks = ({ repository }: AgendaBackend, report: (error: unknown) => void) => {
  const unlock = repository.unlockJob.bind(repository);
  repository.unlockJob = (job) => unlock(job).catch(report);
};

/** The jobs as they are kept there, for a command, which takes no part in them. */
export const readJobsInMongo = async (mongodbUrl: string, report: (error: unknown) => void) => {
  const { backend, close } = await inMongo(mongodbUrl, report);
  try {
    await backend.connect();
    return (await backend.repository.queryJobs()).jobs;
  } finally {
    await close();
  }
};

const openPool = (connection: Connection, max: number, report: (error: unknown) => void) => {
  const pool = new pg.Pool({ ...inSessionName(connection), Client: clientFor(connection), max });
  pool.on('error', report);
  return pool;
};

/** A pool of its own: Agenda wants dates where we read text, and keeps one connection to listen on. */
const inPostgres = async (connection: Connection, waitMs: number, report: (error: unknown) => void) => {
  const pool = openPool(connection, 3, report);
  await createSchema(pool, waitMs).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const backend = new PostgresBackend({ pool, ensureSchema: false });
  const channel = backend.notificationChannel;
  // A lost connection is made again, but an error without a listener would end the process.
  (channel as unknown as EventEmitter).on('error', report);
  const close = async () => {
    // A start that failed leaves it trying to connect, with a client that the end of the pool would wait for.
    await channel?.disconnect();
    await pool.end();
  };
  await connectFirst(backend).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { backend, close };
};

/** Agenda connects as it is made. A failure then would end the process, as nobody hears of it, and it is never ready. */
const connectFirst = async (backend: AgendaBackend) => {
  await backend.connect();
  backend.connect = async () => undefined;
};

/** One process at a time: two at once would conflict. */
const createSchema = async (pool: pg.Pool, waitMs: number) => {
  const client = await pool.connect();
  try {
    await takeLock(client, waitMs);
    await new PostgresBackend({ pool, disableNotifications: true }).connect();
  } finally {
    // Ends the session, and with it the lock, whatever happened before.
    client.release(true);
  }
};

/** A session whose program is gone may hold it for hours: the start is told whose it is, and tries again. */
const takeLock = async (client: pg.PoolClient, waitMs: number) => {
  // Zero would be without end.
  await client.query(`set lock_timeout = '${Math.max(Math.ceil(waitMs), 1)}ms'`);
  try {
    await client.query('select pg_advisory_lock($1)', [schemaLock]);
  } catch (cause) {
    if (!isLocked(cause)) throw cause;
    const held = "select pid from pg_locks where locktype = 'advisory' and objid = $1 and granted";
    const { pid } = (await client.query<{ pid: number }>(held, [schemaLock])).rows[0] ?? {};
    throw new Error(
      `The session ${pid} of PostgreSQL holds the tables of Agenda. If no other Posthorn is starting, end that session: select pg_terminate_backend(${pid})`,
      { cause },
    );
  }
};

/** Connected before Agenda gets it, so that a wrong address gives a clear message. */
const inMongo = async (url: string, report: (error: unknown) => void) => {
  // Loaded only when it is used: it is large.
  const { MongoClient } = await import('mongodb');
  const { MongoBackend, MongoChangeStreamNotificationChannel } = await import('@agendajs/mongo-backend');
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 10_000 });
  try {
    await client.connect();
  } catch (cause) {
    const { message } = cause as Error;
    throw new SettingError(`MONGODB_URL cannot be used: ${message}. Start MongoDB, or correct the address`, { cause });
  }
  const db = client.db();
  const { setName } = await db.admin().command({ hello: 1 });
  // Only a replica set reports changes; elsewhere Agenda polls.
  const notificationChannel = setName ? new MongoChangeStreamNotificationChannel({ db }) : undefined;
  (notificationChannel as EventEmitter | undefined)?.on('error', report);
  const backend = new MongoBackend({ mongo: db });
  await connectFirst(backend).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });
  return {
    backend,
    ...(notificationChannel && { notificationChannel }),
    close: () => client.close(),
  };
};
