import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { Sequelize, Transaction } from 'sequelize';
import { patiently } from './patiently.ts';

interface Running {
  sequelize: Sequelize;
  transaction: Transaction;
  connection: pg.Client;
  ended: boolean;
  afterwards: (() => void)[];
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

/** The transactions of one database: all that is asked of it inside of one, in whatever function, joins it. */
export function createTransactions(
  sequelize: Sequelize,
  { waitMs, report }: { waitMs: number; report: (error: Error) => void },
) {
  /** The one around this call. */
  function joined(): Running | undefined {
    const current = running.getStore();
    if (current?.sequelize !== sequelize) return undefined;
    if (current.ended) throw new Error('This transaction has ended: await everything in it, or begin it in outside()');
    return current;
  }

  async function transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    if (joined()) return work();
    const current = await patiently(waitMs, () => begin(sequelize));
    transactions++;
    try {
      const result = await running.run(current, work);
      await refuseAborted(current);
      await end(current, 'commit');
      for (const work of current.afterwards) running.exit(work);
      return result;
    } catch (error) {
      if (!current.ended) await end(current, 'rollback').catch(report);
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

/** We begin and end transactions ourselves: Sequelize's way costs as much as the statements in between. */
async function begin(sequelize: Sequelize): Promise<Running> {
  const connection = (await sequelize.connectionManager.getConnection({ type: 'write' })) as pg.Client;
  const transaction = Object.assign(new Transaction(sequelize, {}), { connection });
  const current = { sequelize, transaction, connection, ended: false, afterwards: [] };
  await connection.query('begin').catch((error: unknown) => giveUp(current, error));
  return current;
}

/** A connection whose transaction could not be ended is closed, which ends it. */
async function end(current: Running, how: 'commit' | 'rollback'): Promise<void> {
  current.ended = true;
  Object.assign(current.transaction, { finished: how });
  await current.connection.query(how).catch((error: unknown) => giveUp(current, error));
  current.sequelize.connectionManager.releaseConnection(current.connection);
}

async function giveUp({ sequelize, connection }: Running, error: unknown): Promise<never> {
  const { connectionManager } = sequelize as Sequelize & {
    connectionManager: { destroyConnection(client: pg.Client): Promise<void> };
  };
  await connectionManager.destroyConnection(connection);
  throw error;
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
