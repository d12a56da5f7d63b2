import type { Proof } from '#contracts/receipts';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { hasSecondFactor } from '#server/base/store/has-second-factor';

const pendingColumns = 'user_id, means, by_link, user_agent';
const hasFactor = sql('signIns.hasFactor', `select ${hasSecondFactor('$1')} as has`);
const insertPending = sql(
  'signIns.insert',
  `insert into pending_sign_ins (hash, user_id, means, by_link, user_agent, expires_at)
   values (:hash, :userId, :means, :byLink, :userAgent, :expiresAt)`,
);
const findPending = sql(
  'signIns.find',
  `update pending_sign_ins set tries = tries + $3 where hash = $1 and expires_at > $2 and tries < $4
   returning ${pendingColumns}`,
).holds<{ means: Proof[] }>();
const takePending = sql(
  'signIns.take',
  `delete from pending_sign_ins where hash = $1 returning ${pendingColumns}`,
).holds<{
  means: Proof[];
}>();
const removePending = sql('signIns.removeOf', 'delete from pending_sign_ins where user_id = $1');
const purgePending = sql('signIns.purge', 'delete from pending_sign_ins where expires_at <= $1');

export type PendingStore = ReturnType<typeof createPendingStore>;

export const createPendingStore = (db: Database) => ({
  hasFactor: async (userId: string) => (await db.query(hasFactor, [userId]))[0]?.has === true,
  insert: (
    row: Omit<RowOf<typeof takePending>, 'means'> & { hash: Buffer; means: readonly Proof[]; expiresAt: Date },
  ) => db.run(insertPending, row),
  find: async (hash: Buffer, now: Date, { isTry, maxTries }: { isTry: boolean; maxTries: number }) =>
    (await db.query(findPending, [hash, now, isTry ? 1 : 0, maxTries]))[0],
  /** Deletes it, so only one caller gets it. */
  take: async (hash: Buffer) => (await db.query(takePending, [hash]))[0],
  removeOf: (userId: string) => db.run(removePending, [userId]),
  purge: (now: Date) => db.run(purgePending, [now]),
});
