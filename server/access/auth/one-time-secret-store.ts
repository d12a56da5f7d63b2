import { type Database, sql } from '#server/base/store/database';

const insertSecret = sql(
  'secrets.insert',
  'insert into one_time_secrets (hash, purpose, user_id, expires_at) values ($1, $2, $3, $4)',
);
const takeSecret = sql(
  'secrets.take',
  'delete from one_time_secrets where hash = $1 and purpose = $2 and expires_at > $3 returning user_id',
);
const findSecret = sql(
  'secrets.find',
  'select user_id from one_time_secrets where hash = $1 and purpose = $2 and expires_at > $3',
);
const removeSecrets = sql('secrets.remove', 'delete from one_time_secrets where user_id = $1 and purpose = $2');
const purgeSecrets = sql('secrets.purge', 'delete from one_time_secrets where expires_at <= $1');

export type Purpose = 'sign-in' | 'first-owner' | 'password';
export type SecretStore = ReturnType<typeof createSecretStore>;

export const createSecretStore = (db: Database) => ({
  insert: (hash: Buffer, purpose: Purpose, userId: string | null, expiresAt: Date) =>
    db.run(insertSecret, [hash, purpose, userId, expiresAt]),
  /** Deletes the row, so only one caller gets it. */
  take: async (hash: Buffer, purpose: Purpose, now: Date) => (await db.query(takeSecret, [hash, purpose, now]))[0],
  has: async (hash: Buffer, purpose: Purpose, now: Date) =>
    (await db.query(findSecret, [hash, purpose, now])).length > 0,
  removeOf: (userId: string, purpose: Purpose) => db.run(removeSecrets, [userId, purpose]),
  purge: (now: Date) => db.run(purgeSecrets, [now]),
});
