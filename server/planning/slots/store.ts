import type { Slot } from '#contracts/slots';
import { type Database, sql } from '#server/base/store/database';

export const reads = ['posts', 'workspaces'];

const lockWorkspace = sql('slots.lockWorkspace', 'select from workspaces where id = $1 for no key update', 'locks');
const zone = sql('slots.zone', 'select time_zone from slot_zones where workspace_id = $1');
const setZone = sql(
  'slots.setZone',
  `insert into slot_zones (workspace_id, time_zone) values ($1, $2)
   on conflict (workspace_id) do update set time_zone = excluded.time_zone`,
);
const list = sql(
  'slots.list',
  'select id, days, time, account_ids from slots where workspace_id = $1 order by time, id',
);
const insert = sql(
  'slots.insert',
  'insert into slots (id, workspace_id, days, time, account_ids) values ($1, $2, $3, $4, $5)',
);
const change = sql(
  'slots.change',
  `update slots set days = coalesce($3, days), time = coalesce($4, time), account_ids = coalesce($5, account_ids)
    where id = $1 and workspace_id = $2`,
);
const remove = sql('slots.remove', 'delete from slots where id = $1 and workspace_id = $2');
/** Account ids are joined with commas, because unnest cannot take lists of different lengths. Empty means any account. */
const free = sql(
  'slots.free',
  `select distinct slot.at from unnest($2::timestamptz[], $3::text[]) as slot (at, account_ids)
    where slot.at is not null and not exists (
      select from posts p
       where p.workspace_id = $1 and p.status = 'Scheduled' and p.id <> all($5::text[])
         and p.scheduled_at >= slot.at and p.scheduled_at < slot.at + interval '1 minute'
         and (slot.account_ids = '' or p.account_ids && string_to_array(slot.account_ids, ',')))
    order by slot.at limit $4`,
);

export type SlotStore = ReturnType<typeof createSlotStore>;

export const createSlotStore = (db: Database) => ({
  transaction: db.transaction,

  /** Blocks other additions to the workspace until the transaction ends. */
  lockWorkspace: (workspaceId: string) => db.run(lockWorkspace, [workspaceId]),

  zone: async (workspaceId: string) => (await db.query(zone, [workspaceId]))[0]?.timeZone,
  setZone: (workspaceId: string, timeZone: string) => db.run(setZone, [workspaceId, timeZone]),

  /** By time. */
  list: (workspaceId: string) => db.query(list, [workspaceId]),

  insert: (workspaceId: string, { id, days, time, accountIds }: Slot) =>
    db.run(insert, [id, workspaceId, days, time, accountIds]),

  /** Undefined fields stay as they are. False when there is no such slot. */
  change: async (workspaceId: string, id: string, { days, time, accountIds }: Partial<Omit<Slot, 'id'>>) =>
    (await db.run(change, [id, workspaceId, days ?? null, time ?? null, accountIds ?? null])) > 0,

  remove: async (workspaceId: string, id: string) => (await db.run(remove, [id, workspaceId])) > 0,

  /** The instants, earliest first, at which no post is scheduled for the slot's accounts (or for any account). */
  free: async (
    workspaceId: string,
    slots: readonly { readonly atMs: number; readonly accountIds: readonly string[] }[],
    limit: number,
    ignoredPosts: readonly string[],
  ) =>
    (
      await db.query(free, [
        workspaceId,
        slots.map(({ atMs }) => new Date(atMs).toISOString()),
        slots.map(({ accountIds }) => accountIds.join(',')),
        limit,
        ignoredPosts,
      ])
    ).map(({ at }) => at),
});
