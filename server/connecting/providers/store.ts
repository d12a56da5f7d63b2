import { dueChannel } from '#server/base/jobs/due-work';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

/** Tells every instance to read the table again. */
const notify = sql('networkKeys.notify', `select pg_notify('${dueChannel}', 'network-keys')`);
const all = sql('networkKeys.all', `select id, sealed_values, updated_at, worked_at from network_keys`);
const save = sql(
  'networkKeys.save',
  `insert into network_keys (id, sealed_values, updated_at, updated_by) values ($1, $2, $3, $4)
   on conflict (id) do update set sealed_values = excluded.sealed_values, updated_at = excluded.updated_at,
     updated_by = excluded.updated_by, worked_at = null`,
);
const confirm = sql(
  'networkKeys.confirm',
  'update network_keys set worked_at = $2 where id = $1 and worked_at is null',
);
const remove = sql('networkKeys.remove', 'delete from network_keys where id = $1');

export type NetworkKeyRow = RowOf<typeof all>;
export type NetworkKeyStore = ReturnType<typeof createNetworkKeyStore>;

export const createNetworkKeyStore = (db: Database) => ({
  transaction: db.transaction,
  all: () => db.query(all),
  save: async (id: string, sealedValues: string, at: Date, userId: string) => {
    await db.run(save, [id, sealedValues, at, userId]);
    await db.query(notify);
  },
  confirm: (id: string, at: Date) => db.run(confirm, [id, at]),
  remove: async (id: string) => {
    const count = await db.run(remove, [id]);
    await db.query(notify);
    return count > 0;
  },
});

export const sealedInNetworkKeys = (db: Database) => [
  sealedColumn(db, {
    table: 'network_keys',
    column: 'sealed_values',
    noun: 'credential of a network',
    replace: sql(
      'networkKeys.reseal',
      'update network_keys set sealed_values = $3 where id = $1 and sealed_values = $2',
    ),
  }),
];
