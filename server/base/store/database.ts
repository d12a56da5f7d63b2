import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Connection } from './connection.ts';
import { copyIn, copyOut } from './copy.ts';
import { clientFor } from './leader-client.ts';
import { type Listening, listen } from './listen.ts';
import { isUnwritable } from './pg-errors.ts';
import { createPlainStatements, queryPlain } from './plain-statements.ts';
import { PreparedQuery, type StatementResult } from './prepared-query.ts';
import { waitForConnection } from './retry.ts';
import { inSessionName } from './session-name.ts';
import { type LoneStatement, type RowOf, type Statement, sql, type ValuesArgument } from './statement.ts';
import { createStatementLine } from './statement-line.ts';
import { createTransactions, outside } from './transactions.ts';
import { types } from './types.ts';

export type { Connection } from './connection.ts';
export { type RowOf, type Statement, sql, type ValuesArgument };

interface DatabaseOptions {
  /** Called for connections that break while idle. */
  report: (error: Error) => void;
  /** Connections for statements; models and transactions have a pool of the same size. */
  poolSize?: number;
  /** For commands, which run one query at a time: one pool serves everything. */
  onePool?: boolean;
  /** How long a statement waits for a connection. */
  waitMs?: number;
  /** For LISTEN, when `connection` leads to a pooler in transaction mode. Statements are then not prepared. */
  direct?: Connection | undefined;
  /** A standby, for reads in `queryReplica`. */
  replica?: Connection | undefined;
  /** Whether waiting statements are pipelined on a connection, which relies on internals of pg. */
  statementLine?: boolean;
}

export interface Database {
  /** The rows of a prepared statement. */
  query<Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>): Promise<Row[]>;
  /**
   * For lists and sums: on the replica if it has replayed everything that was committed before this call, else on the
   * leader. In a transaction always on the leader. Not for reads that decide a write.
   */
  queryReplica<Values, Row>(statement: LoneStatement<Values, Row>, ...values: ValuesArgument<Values>): Promise<Row[]>;
  /** Runs a prepared statement and returns the number of affected rows. */
  run<Values>(statement: Statement<Values>, ...values: ValuesArgument<Values>): Promise<number>;
  /** Runs plain SQL of one or many statements, without values. */
  script(text: string): Promise<void>;
  /** Every query inside `work`, in any function it calls, belongs to one transaction. A nested call joins it. */
  transaction<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` in a transaction and rolls it back, to learn whether anything refuses it. */
  rehearse(work: () => Promise<unknown>): Promise<void>;
  /** Inside a transaction, a failure of `work` rolls back only what it wrote, and the transaction can continue. */
  attempt<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs `work` after the commit of the current transaction, at once without one, and never after a rollback. */
  afterCommit(work: () => void): void;
  /** Inside a transaction: the rows of a table or query, in the text form of COPY. */
  copyTo(source: string): AsyncIterable<Buffer>;
  /** Inside a transaction: adds rows in that form to `table (columns)` and returns their number. */
  copyFrom(table: string, rows: AsyncIterable<Buffer>): Promise<number>;
  isInTransaction(): boolean;
  /** For loops and timers that are started inside a transaction and outlive it. */
  outside<Result>(work: () => Result): Result;
  /** A connection for models, which have to release it. */
  borrow(): Promise<pg.PoolClient>;
  /** Receives notifications of a channel from any instance, until it is stopped or the database is closed. */
  listen(
    channel: string,
    listeners: { onNotification: (payload: string) => void; onReconnect: () => void; onConnect?: () => void },
  ): Listening;
  ping(): Promise<void>;
  /** Checks that data can be written, with a temporary table. */
  tryWrite(): Promise<void>;
  /** When a statement last failed because the database is not writable, by performance.now(). */
  writeFailedAt(): number | undefined;
  /** The connections of this process. */
  pools(): Readonly<Record<'statements' | 'transactions', PoolState>>;
  close(): Promise<void>;
}

export interface PoolState {
  readonly used: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
  readonly most: number;
}

const outsideOfTransaction = ({ name, belongs }: Statement) => {
  const why = belongs === 'locks' ? 'locks rows until a transaction ends' : "is a part of its caller's transaction";
  return new Error(`${name} ${why}: call it inside database.transaction.`);
};

const closeTimeoutMs = 5_000;

const defaultWaitMs = 15_000;
/**
 * Most processes are idle most of the time, so unused connections of this pool are closed. The timeout is longer than a
 * due loop sleeps: otherwise each poll would open a new connection.
 */
const transactionIdleMs = 15_000;

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
  const statementsOn = (pool: pg.Pool, waitMs: number) =>
    statementLine ? createStatementLine(pool, { most: poolSize, waitMs }) : createPlainStatements(pool);
  const runOn = statementLine ? queryPrepared : queryPlain;
  const openPool = (to: Connection, { connectMs = waitMs, idleMs = 0 } = {}) => {
    const pool = new pg.Pool({
      ...inSessionName(to),
      Client: clientFor(to),
      types,
      max: poolSize,
      connectionTimeoutMillis: connectMs,
      idleTimeoutMillis: idleMs,
      // Not as startup options, because poolers refuse those.
      onConnect: async (client) => {
        await client.query(sessionSettings);
      },
    });
    pool.on('error', (error: Error & { client?: unknown }) => {
      // While the pool closes, the embedded server may end a connection before it reads that we close it.
      if (pool.ending) return;
      // pg-pool adds it: it would be thousands of characters in the log.
      delete error.client;
      report(error);
    });
    return pool;
  };
  // Never closed when idle: a timer per statement would cost more than an idle connection.
  const pool = openPool(connection);
  const transactionPool = onePool ? pool : openPool(connection, { idleMs: transactionIdleMs });
  const statements = statementsOn(pool, waitMs);
  const replicaPool = replica && openPool(replica, { connectMs: replicaAnswerMs });
  const replicaStatements = replicaPool && statementsOn(replicaPool, replicaAnswerMs);
  let replicaSkippedUntil = 0;
  const { joined, transaction, rehearse, attempt, afterCommit } = createTransactions(transactionPool, {
    waitMs,
    report,
  });
  const open = new Set<Listening>();
  let writeFailedAt: number | undefined;

  function transactionConnection(): pg.Client {
    const current = joined();
    if (!current) throw new Error('COPY needs a transaction: call it inside database.transaction.');
    return current.connection;
  }

  /** Reports a busy database to the caller, and remembers a database that is not writable. */
  async function withConnection<Result>(work: (connection: pg.Client | undefined) => Promise<Result>): Promise<Result> {
    const connection = joined()?.connection;
    try {
      return await (connection ? work(connection) : waitForConnection(waitMs, () => work(undefined)));
    } catch (error) {
      if (isUnwritable(error)) writeFailedAt = performance.now();
      throw error;
    }
  }

  const send = (text: string) => withConnection((connection) => (connection ?? pool).query(text));

  /** Behind a pooler in transaction mode the next connection would not have the statement, so it stays unnamed. */
  const named = (statement: Statement): Statement => (direct === undefined ? statement : { ...statement, name: '' });

  const sendPrepared = (statement: Statement, values: readonly unknown[] = []): Promise<StatementResult> =>
    withConnection((connection) => {
      if (connection) return runOn(connection, named(statement), values);
      if (statement.belongs) throw outsideOfTransaction(statement);
      return statements.ask(named(statement), values);
    });

  /** Undefined when the replica does not answer or lags behind. */
  async function onReplica(statement: Statement, values: readonly unknown[]): Promise<StatementResult | undefined> {
    if (
      replicaStatements === undefined ||
      replicaPool === undefined ||
      joined() ||
      performance.now() < replicaSkippedUntil
    )
      return undefined;
    const [leader] = (await sendPrepared(leaderPosition, [])).rows;
    try {
      for (let attempt = 0; attempt < replicaAttempts; attempt++) {
        if (attempt > 0) await sleep(replicaPauseMs);
        const query = { text: hasReplayed, values: [leader?.lsn], query_timeout: replicaAnswerMs };
        const { rows } = await replicaPool.query<{ isFresh: boolean }>(query);
        if (rows[0]?.isFresh) return await replicaStatements.ask(named(statement), values);
      }
    } catch (error) {
      replicaSkippedUntil = performance.now() + replicaSkipMs;
      report(error as Error);
    }
    return undefined;
  }

  return {
    query: async <Values, Row>(statement: Statement<Values, Row>, ...values: ValuesArgument<Values>) =>
      (await sendPrepared(statement, toList(statement, values[0]))).rows as Row[],
    queryReplica: async <Values, Row>(statement: LoneStatement<Values, Row>, ...values: ValuesArgument<Values>) => {
      const list = toList(statement, values[0]);
      return ((await onReplica(statement, list)) ?? (await sendPrepared(statement, list))).rows as Row[];
    },
    run: async (statement, ...values) => (await sendPrepared(statement, toList(statement, values[0]))).count,
    script: async (text) => {
      await send(text);
    },
    transaction,
    rehearse,
    attempt,
    afterCommit,
    copyTo: (source) => copyOut(transactionConnection(), `copy ${source} to stdout`),
    copyFrom: (table, rows) => copyIn(transactionConnection(), `copy ${table} from stdin`, rows),
    isInTransaction: () => joined() !== undefined,
    outside,
    borrow: () => waitForConnection(waitMs, () => transactionPool.connect()),
    listen: (channel, listeners) => {
      const listening = listen(inSessionName(direct ?? connection), channel, { ...listeners, report });
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
      statements: stateOf(pool, statements.length()),
      transactions: stateOf(transactionPool),
    }),
    close: async () => {
      const closed = Promise.all([
        ...[...new Set([pool, transactionPool, replicaPool])].map((one) => one?.end()),
        ...[...open].map((listening) => listening.stop()),
      ]);
      // A broken connection may never return to the pool, so the wait is bounded.
      const timer = new AbortController();
      await Promise.race([closed, sleep(closeTimeoutMs, undefined, { ref: false, signal: timer.signal })]).finally(() =>
        timer.abort(),
      );
    },
  };
}

const toList = <Values>({ names }: Statement<Values>, values: Values | undefined): readonly unknown[] =>
  names ? names.map((name) => (values as Record<string, unknown>)[name]) : ((values ?? []) as readonly unknown[]);

const queryPrepared = (client: pg.ClientBase, statement: Statement, values: readonly unknown[]) =>
  new Promise<StatementResult>((resolve, reject) => {
    client.query(new PreparedQuery(statement, values, (error, result) => (result ? resolve(result) : reject(error))));
  });

/** Read-your-writes: the replica must have replayed everything up to the leader's current position. */
const leaderPosition = sql('replica.leaderPosition', 'select pg_current_wal_lsn()::text as lsn');
const hasReplayed = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as "isFresh"';
const replicaAttempts = 4;
const replicaPauseMs = 5;
const replicaAnswerMs = 1_000;
/** A replica that failed is not queried for this long. */
const replicaSkipMs = 10_000;

/**
 * Timestamps are parsed as ISO text in UTC, so the settings of the server or role must not matter. The timeout frees the
 * locks of a process that was stopped or cut off inside a transaction; when it continues, its transaction has failed.
 */
const sessionSettings = "set TimeZone = 'UTC'; set DateStyle = 'ISO'; set idle_in_transaction_session_timeout = '10s'";

/** `queued` is the number of statements that wait for a connection of the pool. */
const stateOf = ({ totalCount, idleCount, waitingCount, options }: pg.Pool, queued = 0): PoolState => ({
  used: totalCount - idleCount,
  idle: idleCount,
  // Those about to get an idle connection do not count as waiting.
  waiting: Math.max(0, Math.max(waitingCount, queued) - idleCount),
  most: options.max,
});
