import type { HeldPost } from '#contracts/backups';
import type { AuditLog } from '#server/access/audit/audit-log';
import { type Clock, systemClock } from '#server/base/clock';
import { Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Database } from '#server/base/store/database';
import { createHoldStore, type HoldStore } from './store.ts';

/** Call in the transaction that restores a backup. The old service may have sent in the meantime what is due here. */
export const beginHold = (database: Database, backupAt: string, id = newHoldId()) =>
  createHoldStore(database).begin(id, backupAt, systemClock.now());

export const newHoldId = () => newId('hold', systemClock.now());

/** Whether the restore that began the hold with this id was committed. */
export const hasHold = (database: Database, id: string) => createHoldStore(database).has(id);

/** How a slice ends its work that came with the backup and was due during the hold. */
export interface HeldWork {
  /** Call in the transaction that releases the hold, with what came with the backup. Returns how many items it ended. */
  endHeld(ids: readonly string[]): Promise<number>;
}

export type Hold = ReturnType<typeof createHold>;

/**
 * After a restore nothing is sent until a person releases the hold. Work of the backup that was due meanwhile is ended
 * instead of sent; what people began after the restore is sent.
 */
export const createHold = ({
  store,
  posts,
  deliveries,
  messages,
  audit,
  clock,
}: {
  store: HoldStore;
  posts: HeldWork & { listHeld(ids: readonly string[]): Promise<{ count: number; posts: HeldPost[] }> };
  deliveries: HeldWork;
  messages: HeldWork;
  audit: AuditLog;
  clock: Clock;
}) => ({
  read: async () => {
    const row = await store.open();
    return row && { backupAt: row.backupAt, restoredAt: row.restoredAt };
  },

  listDue: async () => posts.listHeld(await store.heldIds('post')),

  release: (userId: string, requestId: string) =>
    store.transaction(async () => {
      if (!(await store.lock())) throw new Refusal('Conflict', 'Nothing is held here. Somebody released it already.');
      // Before the posts, because ending posts creates deliveries and messages that may be sent.
      const ended = {
        deliveries: await deliveries.endHeld(await store.heldIds('delivery')),
        messages: await messages.endHeld(await store.heldIds('message')),
        posts: await posts.endHeld(await store.heldIds('post')),
      };
      await store.release(clock.now(), userId, ended);
      await audit.write({ event: 'hold.released', userId, requestId, details: ended });
      return ended;
    }),
});
