import type pg from 'pg';
import { RunningTransaction, running } from '#server/base/running-transaction';
import { isStale } from './pg-errors.ts';
import { toRefusal, waitForConnection } from './retry.ts';

const disableAfterMs = 100;
let transactions = 0;
let disableTimer: NodeJS.Timeout | undefined;

/**
 * While the storage is in use, Node 20 runs hooks for every promise of the process, so it is disabled between
 * transactions.
 */
function disableSoon(): void {
  clearTimeout(disableTimer);
  disableTimer = setTimeout(() => {
    if (transactions === 0) running.disable();
  }, disableAfterMs).unref();
}

/** Transactions on a pool. Every query inside one, in any function, joins it. */
export function createTransactions(
  pool: pg.Pool,
  { waitMs, report }: { waitMs: number; report: (error: Error) => void },
) {
  /** The transaction around this call. */
  function joined(): RunningTransaction | undefined {
    const current = running.getStore();
    if (current?.pool !== pool) return undefined;
    if (current.finished)
      throw new Error('This transaction has ended: await everything in it, or begin it in outside()');
    return current;
  }

  async function transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (joined()) return work();
    const current = await waitForConnection(waitMs, () => begin(pool));
    transactions++;
    try {
      const result = await running.run(current, work);
      await refuseAborted(current);
      await end(current, 'commit');
      for (const work of current.callbacks) running.exit(work);
      return result;
    } catch (error) {
      if (!current.finished) await end(current, 'rollback', isStale(error)).catch(report);
      throw toRefusal(error);
    } finally {
      transactions--;
      if (transactions === 0) disableSoon();
    }
  }

  function rehearse(work: () => Promise<unknown>): Promise<void> {
    return transaction(async () => {
      const { connection, callbacks } = joined() as RunningTransaction;
      await connection.query('savepoint rehearsal');
      const before = callbacks.length;
      try {
        await work();
      } finally {
        callbacks.length = before;
        await connection.query('rollback to savepoint rehearsal');
      }
    });
  }

  async function attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const current = joined();
    if (current === undefined) return work();
    const { connection, callbacks } = current;
    // Each attempt has its own name: PostgreSQL rolls back to the newest savepoint of a name, which may be that of a
    // nested attempt.
    const savepoint = `attempt_${++current.attempts}`;
    await connection.query(`savepoint ${savepoint}`);
    const before = callbacks.length;
    try {
      return await work();
    } catch (error) {
      callbacks.length = before;
      await connection.query(`rollback to savepoint ${savepoint}`);
      throw error;
    }
  }

  function afterCommit(work: () => void): void {
    const current = joined();
    if (current) current.callbacks.push(work);
    else work();
  }

  return { joined, transaction, rehearse, attempt, afterCommit };
}

/** For work that is started inside a transaction and outlives it. */
export const outside = <Result>(work: () => Result): Result => running.exit(work);

async function begin(pool: pg.Pool): Promise<RunningTransaction> {
  const connection = await pool.connect();
  await connection.query('begin').catch((error: unknown) => giveUp(connection, error));
  return new RunningTransaction(pool, connection);
}

/** If the transaction cannot be ended, the connection is closed, which ends it. */
async function end(current: RunningTransaction, how: 'commit' | 'rollback', isBroken = false): Promise<void> {
  current.finished = how;
  const { connection } = current;
  await connection.query(how).catch((error: unknown) => giveUp(connection, error));
  connection.release(isBroken);
}

function giveUp(connection: pg.PoolClient, error: unknown): never {
  connection.release(true);
  throw error;
}

async function refuseAborted({ connection }: RunningTransaction): Promise<void> {
  // pg reports an error before the state of the connection is known; the next query waits for that.
  const client = connection as pg.PoolClient & { readyForQuery: boolean };
  if (!client.readyForQuery) await client.query('select 1').catch(() => undefined);
  // When a statement failed and its error was caught, PostgreSQL answers COMMIT by rolling back without an error.
  if (client.getTransactionStatus() === 'E') {
    throw new Error('A statement of this transaction failed and its error was caught, so it cannot be committed');
  }
}
