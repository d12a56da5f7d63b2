import type { EventEmitter } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresBackend } from '@agendajs/postgres-backend';
import { Agenda, type AgendaBackend, type Job } from 'agenda';
import pg from 'pg';
import { SettingError } from '#server/base/config/config';
import { answerMs } from '#server/base/health/answer-within';
import type { Connection } from '#server/base/store/database';
import { clientFor } from '#server/base/store/leader-client';
import { isLocked } from '#server/base/store/pg-errors';
import { inSessionName } from '#server/base/store/session-name';

/** An arbitrary key that no other advisory lock uses. */
const schemaLock = 727_002;
const defaultWaitMs = 5_000;
/** A scan queries once for every defined job, so it decides what an idle process costs. */
const scanMs = 30_000;
/** How long a job stays locked after its process dies. Agenda locks jobs up to one scan ahead. */
const lockMs = 90_000;

export interface RunningAgenda {
  readonly agenda: Agenda;
  /** Starts no more jobs, which other instances run, and waits at most this long for those that run here. */
  drain(graceMs: number): Promise<void>;
  close(): Promise<void>;
}

/** Agenda schedules recurring work. It stores its jobs in PostgreSQL, or in MongoDB if MONGODB_URL is set. */
export const openAgenda = async ({
  connection,
  mongodbUrl,
  name,
  waitMs = defaultWaitMs,
  report,
}: {
  connection: Connection;
  mongodbUrl: string | undefined;
  /** Unique to this process. */
  name: string;
  /** How long to wait for another process that is creating Agenda's tables. */
  waitMs?: number;
  report: (error: unknown) => void;
}): Promise<RunningAgenda> => {
  const { close, ...backendOptions } = mongodbUrl
    ? await inMongo(mongodbUrl, report)
    : await inPostgres(connection, waitMs, report);
  reportFailedUnlocks(backendOptions.backend, report);
  const untilIdle = trackJobs(backendOptions.backend);
  const agenda = new Agenda({
    ...backendOptions,
    name,
    processEvery: scanMs,
    defaultLockLifetime: lockMs,
    removeOnComplete: true,
  });
  agenda.on('error', report);
  agenda.on('fail', (cause: Error, { attrs }: Job, elsewhere?: boolean) => {
    // The process where the job failed reports it. Events forwarded from there do not carry a real job.
    if (elsewhere) return;
    report(new Error(`The recurring work "${attrs.name}" failed: ${cause.message}`, { cause }));
  });
  let pausing: Promise<void> | undefined;
  const pause = () => {
    // drain() would keep the locks of prefetched jobs, so their next run would wait until the locks expire.
    pausing ??= agenda.stop(false);
    return pausing;
  };
  return {
    agenda,
    drain: async (graceMs) => {
      await pause();
      const timer = new AbortController();
      const timeout = sleep(graceMs, undefined, { signal: timer.signal }).catch(() => undefined);
      await Promise.race([untilIdle(), timeout]);
      timer.abort();
    },
    close: () => pause().finally(close),
  };
};

/** Agenda does not await unlocks, so a failed one would crash the process. The lock expires after `lockMs` anyway. */
const reportFailedUnlocks = ({ repository }: AgendaBackend, report: (error: unknown) => void) => {
  const unlock = repository.unlockJob.bind(repository);
  repository.unlockJob = (job) => unlock(job).catch(report);
};

/**
 * Agenda's own drain() keeps the locks of prefetched jobs. It saves a job as it begins and, unlocked, when it has ended, so
 * a job runs in between. Returns a function that waits until none does.
 */
const trackJobs = ({ repository }: AgendaBackend) => {
  const running = new Set<string>();
  let waiting: (() => void)[] = [];
  const end = (id: string) => {
    running.delete(id);
    if (running.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  const save = repository.saveJobState.bind(repository);
  repository.saveJobState = async (job, options) => {
    const id = String(job._id);
    const hasEnded = !job.lockedAt;
    running.add(id);
    try {
      await save(job, options);
      if (hasEnded) end(id);
    } catch (error) {
      end(id);
      throw error;
    }
  };
  return () => new Promise<void>((resolve) => (running.size === 0 ? resolve() : waiting.push(resolve)));
};

/** For commands, which read the jobs without running any. */
export const readJobsInMongo = async (mongodbUrl: string, report: (error: unknown) => void) => {
  const { backend, close } = await inMongo(mongodbUrl, report, answerMs);
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

/** A separate pool: Agenda expects dates where we read text, and keeps one connection for LISTEN. */
const inPostgres = async (connection: Connection, waitMs: number, report: (error: unknown) => void) => {
  const pool = openPool(connection, 3, report);
  await createSchema(pool, waitMs).catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const backend = new PostgresBackend({ pool, ensureSchema: false });
  const channel = backend.notificationChannel as unknown as Channel;
  // Agenda reconnects by itself, but an 'error' event without a listener would crash the process.
  channel.on('error', report);
  const disconnect = returnClients(channel);
  const close = async () => {
    await disconnect();
    await pool.end();
  };
  await connectFirst(backend).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { backend, close };
};

type Channel = EventEmitter & {
  connect(): Promise<void>;
  disconnect(): Promise<void>;
  listenClient?: pg.PoolClient | undefined;
};

/**
 * Agenda's channel keeps the client with which it could not listen, and goes on reconnecting. `pool.end()` would wait for
 * that client forever, and so would a start that is tried again. Returns the function that ends the reconnecting.
 */
const returnClients = (channel: Channel) => {
  let hasEnded = false;
  const connect = channel.connect.bind(channel);
  channel.connect = async () => {
    try {
      await connect();
    } catch (error) {
      channel.listenClient?.release(true);
      channel.listenClient = undefined;
      throw error;
    }
    if (hasEnded) await channel.disconnect();
  };
  return () => {
    hasEnded = true;
    return channel.disconnect();
  };
};

/**
 * Agenda connects in its constructor, where an error would be an unhandled rejection. Connecting before lets us catch
 * it.
 */
const connectFirst = async (backend: AgendaBackend) => {
  await backend.connect();
  backend.connect = async () => undefined;
};

/** Under a lock: two processes that create the tables at once would conflict. */
const createSchema = async (pool: pg.Pool, waitMs: number) => {
  const client = await pool.connect();
  try {
    await takeLock(client, waitMs);
    await new PostgresBackend({ pool, disableNotifications: true }).connect();
  } finally {
    // `true` closes the session, which releases the lock even after an error.
    client.release(true);
  }
};

/**
 * The session of a dead process may hold the lock for hours, so the error names the session, and the start is retried.
 */
const takeLock = async (client: pg.PoolClient, waitMs: number) => {
  // PostgreSQL reads 0 as no timeout.
  await client.query(`set lock_timeout = '${Math.max(Math.ceil(waitMs), 1)}ms'`);
  try {
    await client.query('select pg_advisory_lock($1)', [schemaLock]);
  } catch (cause) {
    if (!isLocked(cause)) throw cause;
    const findHolder = "select pid from pg_locks where locktype = 'advisory' and objid = $1 and granted";
    const [holder] = (await client.query<{ pid: number }>(findHolder, [schemaLock])).rows;
    const who = holder ? `The session ${holder.pid} of PostgreSQL` : 'Another session of PostgreSQL';
    const end = holder ? `: select pg_terminate_backend(${holder.pid})` : '';
    throw new Error(`${who} holds the tables of Agenda. If no other Posthorn is starting, end that session${end}`, {
      cause,
    });
  }
};

/** Connects before Agenda does, so that a wrong address gives a clear message. */
const inMongo = async (url: string, report: (error: unknown) => void, waitMs = 10_000) => {
  // Imported on demand because it is large.
  const { MongoClient } = await import('mongodb');
  const { MongoBackend, MongoChangeStreamNotificationChannel } = await import('@agendajs/mongo-backend');
  const client = new MongoClient(url, { serverSelectionTimeoutMS: waitMs });
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
