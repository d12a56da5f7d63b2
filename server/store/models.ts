import pg from 'pg';
import { Sequelize } from 'sequelize';
import type { Database } from './database.ts';
import { runningTransaction } from './transactions.ts';

// Sequelize asks this for the transaction to join. We begin and end transactions, so there is nothing for it to set.
Sequelize.useCLS({
  get: runningTransaction,
  set: () => undefined,
  run: (work: () => unknown) => work(),
  bind: (work: unknown) => work,
});

/** For the models of a store. They join `database.transaction` by themselves; `sequelize.transaction` is not used. */
export const openModels = ({ borrow }: Database): Sequelize => {
  const sequelize = new Sequelize({ dialect: 'postgres', dialectModule: pg, logging: false });
  const giveBack = (connection: pg.PoolClient) => connection.release();
  Object.assign(sequelize.connectionManager, { getConnection: borrow, releaseConnection: giveBack });
  return sequelize;
};
