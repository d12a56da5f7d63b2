import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { isStale } from './pg-errors.ts';
import { waitForConnection } from './retry.ts';

/** Models take it for a transaction of Sequelize's: `connection` and `finished` are what it looks at. */
class Running {
  readonly pool: pg.Pool;
  readonly connection: pg.PoolClient;
  finished: 'commit' | 'rollback' | undefined;
  readonly afterwards: (() => void)[] = [];

  constructor(pool: pg.Pool, connection: pg.PoolClient) {
    this.pool = pool;
    this.connection = connection;
  }
}

const running = new AsyncLocalStorage<Running>();
const lingerMs = 100;
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

/** For models, the one to join. */
export const runningTransaction = () => running.getStore();

/** The transactions on a pool: all that is asked of its database inside of one, in whatever function, joins it. */
export function createTransactions(
  pool: pg.Pool,
  { waitMs, report }: { waitMs: number; report: (error: Error) => void },
) {
  /** The one around this call. */
  function joined(): Running | undefined {
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
      for (const work of current.afterwards) running.exit(work);
      return result;
    } catch (error) {
      if (!current.finished) await end(current, 'rollback', isStale(error)).catch(report);
      throw error;
    } finally {
      transactions--;
      if (transactions === 0) restSoon();
    }
  }

  function rehearse(work: () => Promise<unknown>): Promise<void> {
    return transaction(async () => {
      const { connection, afterwards } = joined() as Running;
      await connection.query('savepoint rehearsal');
      const before = afterwards.length;
      try {
        await work();
      } finally {
        afterwards.length = before;
        await connection.query('rollback to savepoint rehearsal');
      }
    });
  }

  async function attempt<Result>(work: () => Promise<Result>): Promise<Result> {
    const current = joined();
    if (current === undefined) return work();
    const { connection, afterwards } = current;
    await connection.query('savepoint attempt');
    const before = afterwards.length;
    try {
      return await work();
    } catch (error) {
      afterwards.length = before;
      await connection.query('rollback to savepoint attempt');
      throw error;
    }
  }

  function afterCommit(work: () => void): void {
    const current = joined();
    if (current) current.afterwards.push(work);
    else work();
  }

  return { joined, transaction, rehearse, attempt, afterCommit };
}

/** For what is begun inside a transaction and lives longer than it. */
export const outside = <Result>(work: () => Result): Result => running.exit(work);

async function begin(pool: pg.Pool): Promise<Running> {
  const connection = await pool.connect();
  await connection.query('begin').catch((error: unknown) => giveUp(connection, error));
  return new Running(pool, connection);
}

/** A connection whose transaction could not be ended is closed, which ends it. */
async function end(current: Running, how: 'commit' | 'rollback', isUseless = false): Promise<void> {
  current.finished = how;
  const { connection } = current;
  await connection.query(how).catch((error: unknown) => giveUp(connection, error));
  connection.release(isUseless);
}

function giveUp(connection: pg.PoolClient, error: unknown): never {
  connection.release(true);
  throw error;
}

async function refuseAborted({ connection }: Running): Promise<void> {
  // pg reports an error before the state of the connection is known; the next query waits for that.
  const client = connection as pg.PoolClient & { readyForQuery: boolean };
  if (!client.readyForQuery) await client.query('select 1').catch(() => undefined);
  // When a statement failed and its error was caught, PostgreSQL answers COMMIT by rolling back without an error.
  if (client.getTransactionStatus() === 'E') {
    throw new Error('A statement of this transaction failed and its error was caught, so it cannot be committed');
  }
}
