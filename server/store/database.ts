import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import pg from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { Sequelize, type Transaction } from 'sequelize';
import { Refusal } from '#server/errors';
import { isFull, isUnwritable } from './away.ts';
import { copyIn, copyOut } from './copy.ts';
import { type Listening, listen } from './listen.ts';
import { types } from './types.ts';

/** Where the database is. Parsed once; every pool and client of the process is made from the same parts. */
export interface Connection {
  host: string;
  port: number;
  database: string;
  user?: string;
  password?: string;
  ssl?: boolean | TlsOptions;
  options?: string;
}

export interface Statement {
  readonly name: string;
  readonly text: string;
}

export interface DatabaseOptions {
  /** Called for connections that break while nothing waits for them. */
  report: (error: Error) => void;
  /** Connections for statements, and as many again for models and transactions. */
  poolSize?: number;
  /** How long a statement waits for a connection. */
  waitMs?: number;
}

export interface Database {
  /** The rows of a prepared statement. */
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a prepared statement and says how many rows it touched. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
  /** Runs plain SQL of one or many statements, without values. */
  script(text: string): Promise<void>;
  /** All that `work` asks of this database, in whatever function, happens in one transaction. A nested call joins it. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Does all of `work` in a transaction and then undoes it, so that whatever would refuse it refuses it now. */
  rehearse(work: () => Promise<unknown>): Promise<void>;
  /** Inside a transaction: the rows of a table or query, in the text form of COPY. */
  copyTo(source: string): AsyncIterable<Buffer>;
  /** Inside a transaction: adds rows in that form to `table (columns)` and says how many. */
  copyFrom(table: string, rows: AsyncIterable<Buffer>): Promise<number>;
  /** For loops and timers that are begun inside a transaction and live longer than it. */
  outside<Result>(work: () => Result): Result;
  /** For models. They join `transaction` by themselves; `sequelize.transaction` is not used. */
  readonly sequelize: Sequelize;
  /** Receives what any instance sends with pg_notify on a channel, until it is stopped or the database is closed. */
  listen(channel: string, ears: { heard: (payload: string) => void; resumed: () => void }): Listening;
  ping(): Promise<void>;
  /** Whether new data can be written: makes a temporary table and drops it. */
  tryWrite(): Promise<void>;
  /** When a statement last failed because nothing can be written, by performance.now(); undefined when none has. */
  writeFailedAt(): number | undefined;
  /** The connections of this process. */
  pools(): Readonly<Record<'statements' | 'transactions', PoolState>>;
  close(): Promise<void>;
}

export interface PoolState {
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for one. */
  readonly waiting: number;
  readonly most: number;
}

/** The name is what PostgreSQL knows the prepared statement by: the same name always has the same text. */
export function sql(name: string, text: string): Statement {
  return { name, text };
}

export function connectionFrom(databaseUrl: string): Connection {
  const { host, port, database, user, password, ssl, options } = parseUrl(databaseUrl);
  if (!database) throw new Error(`DATABASE_URL names no database. ${urlHint}`);
  return {
    host: host || 'localhost',
    port: port ?? 5432,
    database,
    ...(user && { user }),
    ...(typeof password === 'string' && password && { password }),
    ...(ssl !== undefined && { ssl }),
    ...(options && { options }),
  };
}

const closePatienceMs = 5_000;

const urlHint = 'It looks like postgres://user:password@host:5432/database, special characters percent-encoded.';

function parseUrl(databaseUrl: string): pg.ClientConfig {
  // The address holds a password, so no message repeats it.
  if (!/^(postgres(ql)?:\/\/|socket:|\/)/.test(databaseUrl))
    throw new Error(`DATABASE_URL is not understood. ${urlHint}`);
  try {
    return parseIntoClientConfig(databaseUrl);
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof URIError) {
      throw new Error(`DATABASE_URL is not understood. ${urlHint}`);
    }
    throw cause;
  }
}

const defaultWaitMs = 15_000;
const fullPauseMs = 100;
const retryAfterSeconds = 5;

interface Running {
  sequelize: Sequelize;
  transaction: Transaction;
  connection: pg.Client;
  ended: boolean;
}

const running = new AsyncLocalStorage<Running>();
const lingerMs = 1000;
let transactions = 0;
let resting: NodeJS.Timeout | undefined;

/**
 * While the storage is in use, Node 20 runs hooks for every promise of the process, so it is disabled between
 * transactions.
 */
function restSoon(): void {
  clearTimeout(resting);
  resting = setTimeout(() => {
    if (transactions === 0) running.disable();
  }, lingerMs).unref();
}

// Sequelize asks this for the transaction to join. We begin and end transactions, so there is nothing for it to set.
Sequelize.useCLS({
  get: () => running.getStore()?.transaction,
  set: () => undefined,
  run: (work: () => unknown) => work(),
  bind: (work: unknown) => work,
});

export function openDatabase(
  connection: Connection,
  { report, poolSize = 4, waitMs = defaultWaitMs }: DatabaseOptions,
): Database {
  const pool = new pg.Pool({
    ...connection,
    types,
    max: poolSize,
    keepAlive: true,
    connectionTimeoutMillis: waitMs,
    // Not as an option of the start-up: poolers refuse that.
    onConnect: async (client) => {
      await client.query(ourForm);
    },
  });
  pool.on('error', report);
  const sequelize = openSequelize(connection, poolSize, waitMs);
  const open = new Set<Listening>();
  let writeFailedAt: number | undefined;

  function joined(): Running | undefined {
    const current = running.getStore();
    if (current?.sequelize !== sequelize) return undefined;
    if (current.ended) throw new Error('This transaction has ended: await everything in it, or begin it in outside()');
    return current;
  }

  function mustBeJoined(): pg.Client {
    const current = joined();
    if (!current) throw new Error('COPY is for a transaction');
    return current.connection;
  }

  async function send<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    const connection = joined()?.connection;
    try {
      if (connection) return await connection.query<Row>(query);
      return await patiently(waitMs, () => pool.query<Row>(query));
    } catch (error) {
      if (isUnwritable(error)) writeFailedAt = performance.now();
      throw error;
    }
  }

  // Sequelize gives its connections parsers of its own; `types` makes a row look the same in and out of a transaction.
  function sendPrepared<Row extends pg.QueryResultRow>({ name, text }: Statement, values: readonly unknown[]) {
    return send<Row>({ name, text, values: values as unknown[], types });
  }

  async function transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (joined()) return work();
    const current = await patiently(waitMs, () => begin(sequelize));
    transactions++;
    try {
      const result = await running.run(current, work);
      await refuseAborted(current);
      current.ended = true;
      await current.transaction.commit();
      return result;
    } catch (error) {
      if (!current.ended) await rollBack(current, report);
      throw error;
    } finally {
      transactions--;
      if (transactions === 0) restSoon();
    }
  }

  return {
    query: async <Row>(statement: Statement, values: readonly unknown[] = []) =>
      (await sendPrepared<Row & pg.QueryResultRow>(statement, values)).rows,
    run: async (statement, values = []) => (await sendPrepared(statement, values)).rowCount ?? 0,
    script: async (text) => {
      await send({ text });
    },
    transaction,
    rehearse: (work) =>
      transaction(async () => {
        await send({ text: 'savepoint rehearsal' });
        try {
          await work();
        } finally {
          await send({ text: 'rollback to savepoint rehearsal' });
        }
      }),
    copyTo: (source) => copyOut(mustBeJoined(), `copy ${source} to stdout`),
    copyFrom: (table, rows) => copyIn(mustBeJoined(), `copy ${table} from stdin`, rows),
    outside: (work) => running.exit(work),
    sequelize,
    listen: (channel, ears) => {
      const listening = listen(connection, channel, { ...ears, report });
      open.add(listening);
      return listening;
    },
    ping: async () => {
      await pool.query('select 1');
    },
    tryWrite: async () => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await client.query('create temporary table posthorn_write on commit drop as select repeat($1, 1000) as text', [
          'x',
        ]);
      } finally {
        await client.query('rollback').catch(() => undefined);
        client.release();
      }
    },
    writeFailedAt: () => writeFailedAt,
    pools: () => ({
      statements: {
        used: pool.totalCount - pool.idleCount,
        idle: pool.idleCount,
        waiting: pool.waitingCount,
        most: poolSize,
      },
      transactions: { ...poolOf(sequelize), most: poolSize },
    }),
    close: async () => {
      const closed = Promise.all([pool.end(), sequelize.close(), ...[...open].map((listening) => listening.stop())]);
      // A broken connection may never be given back to the pool, so the wait is bounded.
      const given = new AbortController();
      await Promise.race([closed, sleep(closePatienceMs, undefined, { ref: false, signal: given.signal })]).finally(
        () => given.abort(),
      );
    },
  };
}

/** Timestamps are parsed as ISO text in UTC, whatever the server or role is set to. */
const ourForm = "set TimeZone = 'UTC'; set DateStyle = 'ISO'";

/**
 * Waits for a free connection, in our pool or on the server; after that the caller is told to try again. Nothing has
 * been sent by then.
 */
async function patiently<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isQueueTimeout(error) || (isFull(error) && performance.now() > deadline)) throw busy(error);
      if (!isFull(error)) throw error;
      await sleep(fullPauseMs);
    }
  }
}

function isQueueTimeout(error: unknown): boolean {
  const { message, name } = error as Error;
  return message === 'timeout exceeded when trying to connect' || name === 'SequelizeConnectionAcquireTimeoutError';
}

function busy(cause: unknown): Refusal {
  const refusal = new Refusal('TooManyRequests', 'The database has more to do than it can now. Try again in a moment.');
  refusal.retryAfterSeconds = retryAfterSeconds;
  return Object.assign(refusal, { cause });
}

function openSequelize(
  { user, password, ssl, options, ...place }: Connection,
  poolSize: number,
  waitMs: number,
): Sequelize {
  return new Sequelize({
    ...place,
    ...(user && { username: user }),
    ...(password && { password }),
    dialect: 'postgres',
    dialectModule: Object.create(pg, { types: { value: types } }),
    dialectOptions: {
      ...(options && { options }),
      keepAlive: true,
      connectionTimeoutMillis: waitMs,
      ...(ssl !== undefined && { ssl }),
    },
    pool: { max: poolSize, acquire: waitMs },
    hooks: { afterConnect: (connection) => (connection as pg.Client).query(ourForm) as unknown as Promise<void> },
    logging: false,
  });
}

/** Sequelize's types leave its pool out. */
function poolOf(sequelize: Sequelize): Omit<PoolState, 'most'> {
  const { connectionManager } = sequelize as unknown as {
    connectionManager: { pool: { using: number; available: number; waiting: number } };
  };
  const { using, available, waiting } = connectionManager.pool;
  return { used: using, idle: available, waiting };
}

async function begin(sequelize: Sequelize): Promise<Running> {
  const transaction = await sequelize.transaction();
  const { connection } = transaction as Transaction & { connection: pg.Client };
  return { sequelize, transaction, connection, ended: false };
}

async function refuseAborted({ connection }: Running): Promise<void> {
  // pg reports an error before the state of the connection is known; the next query waits for that.
  const client = connection as pg.Client & { readyForQuery: boolean };
  if (!client.readyForQuery) await client.query('select 1').catch(() => undefined);
  // When a statement failed and its error was caught, PostgreSQL answers COMMIT by rolling back without an error.
  if (client.getTransactionStatus() === 'E') {
    throw new Error('A statement of this transaction failed and its error was caught, so it cannot be committed');
  }
}

async function rollBack(current: Running, report: (error: Error) => void): Promise<void> {
  current.ended = true;
  await current.transaction.rollback().catch(report);
}
