// What else asks whether a transaction is running needs no database, as the twins have none.
import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** Sequelize takes this for its own transaction: it reads only `connection` and `finished`. */
export class RunningTransaction {
  readonly pool: pg.Pool;
  readonly connection: pg.PoolClient;
  finished: 'commit' | 'rollback' | undefined;
  readonly callbacks: (() => void)[] = [];
  attempts = 0;

  constructor(pool: pg.Pool, connection: pg.PoolClient) {
    this.pool = pool;
    this.connection = connection;
  }
}

export const running = new AsyncLocalStorage<RunningTransaction>();
/** The transaction that models join. */
export const runningTransaction = () => running.getStore();

/** For work that takes long: the transaction would hold its locks for as long, or end because it is idle. */
export const refuseInTransaction = (what: string) => {
  const current = running.getStore();
  if (current && !current.finished) throw new Error(`${what} takes long: do it before the transaction.`);
};
