import { type Database, type RowOf, sql } from '#server/base/store/database';

/** Waits for another transaction that holds the same key, so two simultaneous requests run the work once. */
const claim = sql(
  'idempotency.claim',
  `insert into idempotent_answers (workspace_id, user_id, key, request_hash, created_at) values ($1, $2, $3, $4, $5)
   on conflict (workspace_id, user_id, key) do update
     set request_hash = excluded.request_hash, answer = null, created_at = excluded.created_at
     where idempotent_answers.created_at < $6
   returning key`,
);
const read = sql(
  'idempotency.read',
  `select request_hash, coalesce(answer, '') as answer from idempotent_answers
    where workspace_id = $1 and user_id = $2 and key = $3`,
);
const readSince = sql(
  'idempotency.readSince',
  `select request_hash, answer from idempotent_answers
    where workspace_id = $1 and user_id = $2 and key = $3 and created_at >= $4 and answer is not null`,
);
const save = sql(
  'idempotency.save',
  'update idempotent_answers set answer = $4 where workspace_id = $1 and user_id = $2 and key = $3',
);

const remove = sql(
  'idempotency.remove',
  'delete from idempotent_answers where workspace_id = $1 and user_id = $2 and key = $3',
);
const removeOld = sql('idempotency.removeOld', 'delete from idempotent_answers where created_at < $1');

export type IdempotencyStore = ReturnType<typeof createIdempotencyStore>;

export type StoredAnswer = RowOf<typeof read>;

type Owner = readonly [workspaceId: string, userId: string, key: string];

export const createIdempotencyStore = (db: Database) => ({
  transaction: db.transaction,
  /** True if the key is new, or its answer is older than `expired`. */
  claim: async (owner: Owner, requestHash: Buffer, now: Date, expired: Date) =>
    (await db.query(claim, [...owner, requestHash, now, expired])).length > 0,
  read: async (owner: Owner) => (await db.query(read, owner))[0],
  readSince: async (owner: Owner, since: Date) => (await db.query(readSince, [...owner, since]))[0],
  remove: (owner: Owner) => db.run(remove, owner),
  removeOld: (before: Date) => db.run(removeOld, [before]),
  save: async (owner: Owner, answer: string) => {
    await db.query(save, [...owner, answer]);
  },
});
