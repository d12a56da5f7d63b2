import { type Database, sql } from '#server/base/store/database';

export const reads = ['deliveries', 'messages', 'posts'];

const begin = sql('hold.begin', 'insert into outgoing_holds (id, backup_at, restored_at) values ($1, $2, $3)');
const holdWork = sql(
  'hold.holdWork',
  `insert into held_work (kind, id, due_at)
   select 'post', id, case status when 'Scheduled' then scheduled_at else '-infinity' end
     from posts where status in ('Scheduled', 'Publishing')
   union all select 'delivery', id, '-infinity' from deliveries where due_at is not null
   union all select 'message', id, '-infinity' from messages where due_at is not null`,
);
/** Due by the backup, so the old service may have sent it, whatever a person did with it since. */
const heldIds = sql('hold.heldIds', 'select id from held_work where kind = $1 and due_at <= posthorn_now()');
const forgetWork = sql('hold.forgetWork', 'delete from held_work');
const open = sql(
  'hold.open',
  `select id, backup_at, restored_at from outgoing_holds
    where released_at is null order by restored_at desc limit 1`,
);
const find = sql('hold.find', 'select id from outgoing_holds where id = $1');
const lock = sql('hold.lock', 'select id from outgoing_holds where released_at is null for update', 'locks');
const release = sql(
  'hold.release',
  'update outgoing_holds set released_at = $1, released_by = $2, ended = $3 where released_at is null',
);

export type HoldStore = ReturnType<typeof createHoldStore>;

export const createHoldStore = (db: Database) => ({
  transaction: db.transaction,
  begin: async (id: string, backupAt: string, restoredAt: Date) => {
    await db.run(begin, [id, backupAt, restoredAt]);
    await db.run(forgetWork);
    await db.run(holdWork);
  },
  heldIds: async (kind: 'post' | 'delivery' | 'message') => (await db.query(heldIds, [kind])).map(({ id }) => id),
  /** A backup may have been taken during a hold, so a restored database can have several. */
  open: async () => (await db.query(open))[0],
  has: async (id: string) => (await db.query(find, [id])).length > 0,
  lock: async () => (await db.query(lock)).length > 0,
  release: async (at: Date, userId: string, ended: object) => {
    await db.run(release, [at, userId, JSON.stringify(ended)]);
    await db.run(forgetWork);
  },
});
