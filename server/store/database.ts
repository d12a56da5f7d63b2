import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { copyIn, copyOut } from './copy.ts';
import { clientFor } from './leader.ts';
import { type Listening, listen } from './listen.ts';
import { isUnwritable } from './pg-errors.ts';
import { createPlainStatements, queryPlainly } from './plain-statements.ts';
import { type Answered, PreparedQuery, type Statement } from './prepared-query.ts';
import { waitForConnection } from './retry.ts';
import { inSessionName } from './session-name.ts';
import { createStatementLine } from './statement-line.ts';
import { createTransactions, outside } from './transactions.ts';
import { types } from './types.ts';

export type { Connection } from './connection.ts';
export type { Statement };

interface DatabaseOptions {
  /** Called for connections that break while nothing waits for them. */
  report: (error: Error) => void;
  /** Connections for statements, and as many again for models and transactions. */
  poolSize?: number;
  /** For a command, which asks one thing after the other: those for statements serve for all. */
  onePool?: boolean;
  /** How long a statement waits for a connection. */
  waitMs?: number;
  /** For notices, where `connection` leads to a pooler in transaction mode. Nothing is prepared then. */
  direct?: Connection | undefined;
  /** A standby, for reads in `queryReplica`. */
  replica?: Connection | undefined;
  /** Whether statements that wait share a connection, with queries of our own that know the inside of pg. */
  statementLine?: boolean;
}

export interface Database {
  /** The rows of a prepared statement. */
  query<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /**
   * The same for lists and sums: on the replica when there is one and it has all that was committed before this call, else
   * on the leader. Never for what decides a write; in a transaction it is the leader.
   */
  queryReplica<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
  /** Runs a prepared statement and says how many rows it touched. */
  run(statement: Statement, values?: readonly unknown[]): Promise<number>;
  /** Runs plain SQL of one or many statements, without values. */
  script(text: string): Promise<void>;
  /** All that `work` asks of this database, in whatever function, happens in one transaction. A nested call joins it. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Does all of `work` in a transaction and then undoes it, so that whatever would refuse it refuses it now. */
  rehearse(work: () => Promise<unknown>): Promise<void>;
  /** For work that may be tried again: inside a transaction, what it wrote is taken back when it fails. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Begins `work` once the transaction around it is committed, at once where there is none, and never when it is undone. */
  afterCommit(work: () => void): void;
  /** Inside a transaction: the rows of a table or query, in the text form of COPY. */
  copyTo(source: string): AsyncIterable<Buffer>;
  /** Inside a transaction: adds rows in that form to `table (columns)` and says how many. */
  copyFrom(table: string, rows: AsyncIterable<Buffer>): Promise<number>;
  /** For loops and timers that are begun inside a transaction and live longer than it. */
  outside<Result>(work: () => Result): Result;
  /** For models: a connection, to be released. */
  borrow(): Promise<pg.PoolClient>;
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
export function sql(name: string, text: string, pace?: 'quick'): Statement {
  return pace ? { name, text, pace } : { name, text };
}

const closePatienceMs = 5_000;

const defaultWaitMs = 15_000;
/** Most processes are idle most of the time, and then need one pool. */
const transactionIdleMs = 10_000;

export function openDatabase(
  connection: Connection,
  {
    report,
    poolSize = 4,
    onePool = false,
    waitMs = defaultWaitMs,
    direct,
    replica,
    statementLine = true,
  }: DatabaseOptions,
): Database {
  const askOn = (pool: pg.Pool, waitMs: number) =>
    statementLine ? createStatementLine(pool, { most: poolSize, waitMs }) : createPlainStatements(pool);
  const answerOf = statementLine ? queryPrepared : queryPlainly;
  const openPool = (to: Connection, { connectMs = waitMs, idleMs = 0 } = {}) => {
    const pool = new pg.Pool({
      ...inSessionName(to),
      Client: clientFor(to),
      types,
      max: poolSize,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: idleMs,
      // Not as an option of the start-up: poolers refuse that.
      onConnect: async (client) => {
        await client.query(ourForm);
      },
    });
    pool.on('error', report);
    return pool;
  };
  // They stay open: a timer for each statement would cost more than an idle connection.
  const pool = openPool(connection);
  const transactionPool = onePool ? pool : openPool(connection, { idleMs: transactionIdleMs });
  const line = askOn(pool, waitMs);
  const replicaPool = replica && openPool(replica, { connectMs: replicaAnswerMs });
  const replicaLine = replicaPool && askOn(replicaPool, replicaAnswerMs);
  let replicaRestsUntil = 0;
  const { joined, transaction, rehearse, attempt, afterCommit } = createTransactions(transactionPool, {
    waitMs,
    report,
  });
  const open = new Set<Listening>();
  let writeFailedAt: number | undefined;

  function mustBeJoined(): pg.Client {
    const current = joined();
    if (!current) throw new Error('COPY is for a transaction');
    return current.connection;
  }

  /** Tells the caller that the database is busy, and remembers that nothing could be written. */
  async function sending<Result>(once: (connection: pg.Client | undefined) => Promise<Result>): Promise<Result> {
    const connection = joined()?.connection;
    try {
      return await (connection ? once(connection) : waitForConnection(waitMs, () => once(undefined)));
    } catch (error) {
      if (isUnwritable(error)) writeFailedAt = performance.now();
      throw error;
    }
  }

  const send = (text: string) => sending((connection) => (connection ?? pool).query(text));

  /** Behind a pooler in transaction mode the next connection would not know it: without a name it is not kept. */
  const named = (statement: Statement): Statement => (direct === undefined ? statement : { ...statement, name: '' });

  const sendPrepared = (statement: Statement, values: readonly unknown[]): Promise<Answered> =>
    sending((connection) =>
      connection ? answerOf(connection, named(statement), values) : line.ask(named(statement), values),
    );

  /** Undefined when the replica does not answer, or is behind. */
  async function onReplica(statement: Statement, values: readonly unknown[]): Promise<Answered | undefined> {
    if (replicaLine === undefined || replicaPool === undefined || joined() || performance.now() < replicaRestsUntil)
      return undefined;
    const [written] = (await sendPrepared(writtenTo, [])).rows;
    try {
      for (let look = 0; look < looksAtReplica; look++) {
        if (look > 0) await sleep(replicaPauseMs);
        const asked = { text: hasReplayed, values: [written?.lsn], query_timeout: replicaAnswerMs };
        const { rows } = await replicaPool.query<{ isFresh: boolean }>(asked);
        if (rows[0]?.isFresh) return await replicaLine.ask(named(statement), values);
      }
    } catch (error) {
      replicaRestsUntil = performance.now() + replicaRestMs;
      report(error as Error);
    }
    return undefined;
  }

  return {
    query: async <Row>(statement: Statement, values: readonly unknown[] = []) =>
      (await sendPrepared(statement, values)).rows as Row[],
    queryReplica: async <Row>(statement: Statement, values: readonly unknown[] = []) =>
      ((await onReplica(statement, values)) ?? (await sendPrepared(statement, values))).rows as Row[],
    run: async (statement, values = []) => (await sendPrepared(statement, values)).count,
    script: async (text) => {
      await send(text);
    },
    transaction,
    rehearse,
    attempt,
    afterCommit,
    copyTo: (source) => copyOut(mustBeJoined(), `copy ${source} to stdout`),
    copyFrom: (table, rows) => copyIn(mustBeJoined(), `copy ${table} from stdin`, rows),
    outside,
    borrow: () => waitForConnection(waitMs, () => transactionPool.connect()),
    listen: (channel, ears) => {
      const listening = listen(inSessionName(direct ?? connection), channel, { ...ears, report });
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
      statements: stateOf(pool, line.length()),
      transactions: stateOf(transactionPool),
    }),
    close: async () => {
      const closed = Promise.all([
        ...[...new Set([pool, transactionPool, replicaPool])].map((one) => one?.end()),
        ...[...open].map((listening) => listening.stop()),
      ]);
      // A broken connection may never be given back to the pool, so the wait is bounded.
      const given = new AbortController();
      await Promise.race([closed, sleep(closePatienceMs, undefined, { ref: false, signal: given.signal })]).finally(
        () => given.abort(),
      );
    },
  };
}

const queryPrepared = (client: pg.ClientBase, statement: Statement, values: readonly unknown[]) =>
  new Promise<Answered>((resolve, reject) => {
    client.query(
      new PreparedQuery(statement, values, (error, answered) => (answered ? resolve(answered) : reject(error))),
    );
  });

/** A caller who has the answer to a write finds it: what was committed before this is in what the replica has replayed. */
const writtenTo = sql('replica.written', 'select pg_current_wal_lsn()::text as lsn');
const hasReplayed = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as "isFresh"';
const looksAtReplica = 4;
const replicaPauseMs = 5;
const replicaAnswerMs = 1_000;
/** After trouble with it. */
const replicaRestMs = 10_000;

/**
 * Timestamps are parsed as ISO text in UTC, whatever the server or role is set to. A process that is stopped or cut off in
 * a transaction holds its locks no longer than this; when it goes on, its transaction has failed.
 */
const ourForm = "set TimeZone = 'UTC'; set DateStyle = 'ISO'; set idle_in_transaction_session_timeout = '10s'";

/** `line` is how many wait for a turn on them. */
const stateOf = ({ totalCount, idleCount, waitingCount, options }: pg.Pool, line = 0): PoolState => ({
  used: totalCount - idleCount,
  idle: idleCount,
  // Whoever is about to get one of the idle connections does not wait.
  waiting: Math.max(0, Math.max(waitingCount, line) - idleCount),
  most: options.max,
});
