import pg from 'pg';
import { Sequelize } from 'sequelize';
import { runningTransaction } from '#server/base/running-transaction';
import type { Database } from './database.ts';

// Sequelize joins the transaction it gets from here. It never starts one itself, so `set` does nothing.
Sequelize.useCLS({
  get: runningTransaction,
  set: () => undefined,
  run: (work: () => unknown) => work(),
  bind: (work: unknown) => work,
});

/** For the models of a store. They join `database.transaction` automatically; do not use `sequelize.transaction`. */
export const openModels = ({ borrow }: Database): Sequelize => {
  const sequelize = new Sequelize({ dialect: 'postgres', dialectModule: pg, logging: false });
  const giveBack = (connection: pg.PoolClient) => connection.release();
  sequelize.addHook('beforeFind', ({ lock }) => {
    if (lock && !runningTransaction()) throw new Error('A model locks rows only inside database.transaction.');
  });
  Object.assign(sequelize.connectionManager, { getConnection: borrow, releaseConnection: giveBack });
  return sequelize;
};
