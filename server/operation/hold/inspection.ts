import { type Check, checksNamed } from '#server/base/health/check';
import type { Database } from '#server/base/store/database';
import { createHoldStore, type HoldStore } from './store.ts';

const noSuchTable = '42P01';

/** For the scheduler and for commands. Separate from the slice, which needs everything that sends. */
export const openHoldInspection = ({ database }: { database: Database }) => {
  const store = createHoldStore(database);
  /**
   * The table does not exist while an earlier migration waits for processes of the previous release. A restore applies all
   * migrations, so no hold can be open then.
   */
  const find = () =>
    store.open().catch((error: { code?: string }) => {
      if (error.code === noSuchTable) return undefined;
      throw error;
    });
  const isHeld = async () => (await find()) !== undefined;
  /** Tells every user why nothing is sent. */
  const readHold = async () => {
    const row = await find();
    return row && { backupAt: row.backupAt, restoredAt: row.restoredAt };
  };
  return { isHeld, readHold, checks: { 'restored backup': () => checkHold(store) } };
};

const checkHold = async (store: HoldStore): Promise<Check> => {
  const check = checksNamed('restored backup');
  const hold = await store.open();
  if (hold === undefined) return check.ok('Nothing is held back after a restore');
  return check.warning(
    `The backup of ${hold.backupAt} was restored here, and nothing goes out: no posts, webhooks or mails. Look at what was due since then and release it in Settings, Backups.`,
  );
};
