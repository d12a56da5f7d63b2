import type { Proof } from '#contracts/receipts';
import { type Database, sql } from '#server/base/store/database';
import { hasSecondFactor } from '#server/base/store/has-second-factor';

interface PendingRow {
  readonly userId: string;
  readonly means: Proof[];
  readonly byLink: boolean;
  readonly userAgent: string;
}

const pendingColumns = 'user_id as "userId", means, by_link as "byLink", user_agent as "userAgent"';
const hasFactor = sql('signIns.hasFactor', `select ${hasSecondFactor('$1')} as has`);
const insertPending = sql(
  'signIns.insert',
  `insert into pending_sign_ins (hash, user_id, means, by_link, user_agent, expires_at) values ($1, $2, $3, $4, $5, $6)`,
);
const findPending = sql(
  'signIns.find',
  `update pending_sign_ins set tries = tries + $3 where hash = $1 and expires_at > $2 and tries < $4
   returning ${pendingColumns}`,
);
const takePending = sql('signIns.take', `delete from pending_sign_ins where hash = $1 returning ${pendingColumns}`);
const removePending = sql('signIns.removeOf', 'delete from pending_sign_ins where user_id = $1');
const purgePending = sql('signIns.purge', 'delete from pending_sign_ins where expires_at <= $1');

export type PendingStore = ReturnType<typeof createPendingStore>;

export const createPendingStore = (db: Database) => ({
  hasFactor: async (userId: string) => (await db.query<{ has: boolean }>(hasFactor, [userId]))[0]?.has === true,
  insert: (row: Omit<PendingRow, 'means'> & { hash: Buffer; means: readonly Proof[]; expiresAt: Date }) =>
    db.run(insertPending, [row.hash, row.userId, row.means, row.byLink, row.userAgent, row.expiresAt]),
  find: async (hash: Buffer, now: Date, { isTry, maxTries }: { isTry: boolean; maxTries: number }) =>
    (await db.query<PendingRow>(findPending, [hash, now, isTry ? 1 : 0, maxTries]))[0],
  /** Deletes it, so only one caller gets it. */
  take: async (hash: Buffer) => (await db.query<PendingRow>(takePending, [hash]))[0],
  removeOf: (userId: string) => db.run(removePending, [userId]),
  purge: (now: Date) => db.run(purgePending, [now]),
});
