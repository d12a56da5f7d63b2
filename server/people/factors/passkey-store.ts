import { type Database, type RowOf, sql } from '#server/base/store/database';

export type PasskeyRow = RowOf<typeof find>;

/** A challenge is taken only for the use that it was made for: an answer to an approval must not add a passkey. */
export interface ChallengeUse {
  readonly purpose: 'add' | 'sign-in' | 'second-step' | `confirm ${string}`;
  /** Nobody yet for a sign-in. */
  readonly userId?: string;
}

const columns = `id, user_id, credential_id, public_key, counter::float8 as counter, transports, name,
  created_at, last_used_at`;
/** Until the transaction ends, so that simultaneous requests cannot exceed the limit. */
const lockOf = sql('passkeys.lockOf', `select pg_advisory_xact_lock(hashtextextended('passkeys ' || $1, 0))`, 'locks');
const list = sql('passkeys.list', `select ${columns} from passkeys where user_id = $1 order by id desc`);
const find = sql('passkeys.find', `select ${columns} from passkeys where credential_id = $1 for update`, 'locks');
const insert = sql(
  'passkeys.insert',
  `insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, created_at)
   values (:id, :userId, :credentialId, :publicKey, :counter, :transports, :name, :createdAt)
   on conflict (credential_id) do nothing`,
);
const saveUsed = sql('passkeys.saveUsed', 'update passkeys set counter = $2, last_used_at = $3 where id = $1');
const remove = sql('passkeys.remove', 'delete from passkeys where user_id = $1 and id = $2 returning name');
const removeAll = sql('passkeys.removeAll', 'delete from passkeys where user_id = $1');

const insertChallenge = sql(
  'passkeys.insertChallenge',
  'insert into passkey_challenges (challenge, purpose, user_id, expires_at) values ($1, $2, $3, $4)',
);
const takeChallenge = sql(
  'passkeys.takeChallenge',
  `delete from passkey_challenges
    where challenge = $1 and purpose = $2 and user_id is not distinct from $3 and expires_at > $4`,
);
const purgeChallenges = sql('passkeys.purgeChallenges', 'delete from passkey_challenges where expires_at <= $1');

export type PasskeyStore = ReturnType<typeof createPasskeyStore>;

export const createPasskeyStore = (db: Database) => ({
  transaction: db.transaction,
  lockOf: (userId: string) => db.run(lockOf, [userId]),
  list: (userId: string) => db.query(list, [userId]),
  find: async (credentialId: string) => (await db.query(find, [credentialId]))[0],
  /** False if somebody has it already. */
  insert: async (row: Omit<PasskeyRow, 'createdAt' | 'lastUsedAt'> & { createdAt: Date }) =>
    (await db.run(insert, row)) > 0,
  saveUsed: (id: string, counter: number, at: Date) => db.run(saveUsed, [id, counter, at]),
  /** Returns its name. */
  remove: async (userId: string, id: string) => (await db.query(remove, [userId, id]))[0]?.name,
  removeAll: (userId: string) => db.run(removeAll, [userId]),

  insertChallenge: (challenge: string, { purpose, userId }: ChallengeUse, expiresAt: Date) =>
    db.run(insertChallenge, [challenge, purpose, userId ?? null, expiresAt]),
  /** Deletes it, so only one caller gets it. */
  takeChallenge: async (challenge: string, { purpose, userId }: ChallengeUse, now: Date) =>
    (await db.run(takeChallenge, [challenge, purpose, userId ?? null, now])) > 0,
  purgeChallenges: (now: Date) => db.run(purgeChallenges, [now]),
});
