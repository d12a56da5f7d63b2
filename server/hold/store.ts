import { type Database, sql } from '#server/store/database';

export interface HoldRow {
  readonly id: string;
  readonly backupAt: string;
  readonly restoredAt: string;
}

const begin = sql('hold.begin', 'insert into outgoing_holds (id, backup_at, restored_at) values ($1, $2, $3)');
const open = sql(
  'hold.open',
  `select id, backup_at as "backupAt", restored_at as "restoredAt" from outgoing_holds
    where released_at is null order by restored_at desc limit 1`,
);
const find = sql('hold.find', 'select id from outgoing_holds where id = $1');
const lock = sql('hold.lock', 'select id from outgoing_holds where released_at is null for update');
const release = sql(
  'hold.release',
  'update outgoing_holds set released_at = $1, released_by = $2, ended = $3 where released_at is null',
);

export type HoldStore = ReturnType<typeof createHoldStore>;

export const createHoldStore = (db: Database) => ({
  transaction: db.transaction,
  begin: (id: string, backupAt: string, restoredAt: Date) => db.run(begin, [id, backupAt, restoredAt]),
  /** A backup may have been taken during a hold, so a restored database can have several. */
  open: async () => (await db.query<HoldRow>(open))[0],
  has: async (id: string) => (await db.query<{ id: string }>(find, [id])).length > 0,
  lock: async () => (await db.query<{ id: string }>(lock)).length > 0,
  release: (at: Date, userId: string, ended: object) => db.run(release, [at, userId, ended]),
});
