import { type Database, sql } from '#server/base/store/database';

const isAddressUsed = sql(
  'uploadAddresses.isUsed',
  'select from used_upload_addresses where workspace_id = $1 and id = $2',
);
/** Waits for another transaction that uses the same address, so that two simultaneous uploads add one file. */
const markAddressUsed = sql(
  'uploadAddresses.use',
  `insert into used_upload_addresses (workspace_id, id, expires_at) values ($1, $2, $3)
   on conflict do nothing returning id`,
);
/** By the clock of the database, so that a process whose clock is ahead opens no address a second time. */
const purgeUsedAddresses = sql('uploadAddresses.purge', 'delete from used_upload_addresses where expires_at <= now()');

export type UploadAddressStore = ReturnType<typeof createUploadAddressStore>;

export const createUploadAddressStore = (db: Database) => ({
  transaction: db.transaction,

  isUsed: async (workspaceId: string, id: string) => (await db.query(isAddressUsed, [workspaceId, id])).length > 0,

  /** False if it was used before. */
  use: async (workspaceId: string, id: string, expiresAt: Date) =>
    (await db.query(markAddressUsed, [workspaceId, id, expiresAt])).length > 0,

  purge: () => db.run(purgeUsedAddresses),
});
