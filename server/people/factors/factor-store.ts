import { type Database, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

const find = sql('totp.find', `select sealed_secret, confirmed_at from totp_factors where user_id = $1`);
const findBegun = sql(
  'totp.findBegun',
  `select sealed_secret from totp_factors
    where user_id = $1 and begun_by = $2 and begun_at > $3 and confirmed_at is null`,
);
/** Never replaces a secret that is in use. */
const begin = sql(
  'totp.begin',
  `insert into totp_factors as t (user_id, sealed_secret, begun_by, begun_at) values ($1, $2, $3, $4)
   on conflict (user_id) do update
     set sealed_secret = excluded.sealed_secret, begun_by = excluded.begun_by, begun_at = excluded.begun_at, last_step = 0
     where t.confirmed_at is null`,
);
/** Names the secret, because another session may have begun anew since the code was checked. */
const confirm = sql(
  'totp.confirm',
  'update totp_factors set confirmed_at = $3 where user_id = $1 and sealed_secret = $2 and confirmed_at is null',
);
/** One statement, so that of two requests with one code only one is accepted. */
const useStep = sql('totp.useStep', 'update totp_factors set last_step = $2 where user_id = $1 and last_step < $2');
const remove = sql('totp.remove', 'delete from totp_factors where user_id = $1 and confirmed_at is not null');
const removeAll = sql('totp.removeAll', 'delete from totp_factors where user_id = $1');

const insertCodes = sql(
  'recoveryCodes.insert',
  'insert into recovery_codes (user_id, hash) select $1, unnest($2::bytea[])',
);
const takeCode = sql('recoveryCodes.take', 'delete from recovery_codes where user_id = $1 and hash = $2');
const removeCodes = sql('recoveryCodes.remove', 'delete from recovery_codes where user_id = $1');
const countCodes = sql('recoveryCodes.count', 'select count(*)::int as count from recovery_codes where user_id = $1');

export type FactorStore = ReturnType<typeof createFactorStore>;

export const createFactorStore = (db: Database) => ({
  transaction: db.transaction,
  find: async (userId: string) => (await db.query(find, [userId]))[0],
  findBegun: async (userId: string, sessionId: string, after: Date) =>
    (await db.query(findBegun, [userId, sessionId, after]))[0]?.sealedSecret,
  /** False if the person has one. */
  begin: async (userId: string, sealedSecret: string, sessionId: string, at: Date) =>
    (await db.run(begin, [userId, sealedSecret, sessionId, at])) > 0,
  confirm: async (userId: string, sealedSecret: string, at: Date) =>
    (await db.run(confirm, [userId, sealedSecret, at])) > 0,
  /** False if this code, or a later one, was used. */
  useStep: async (userId: string, step: number) => (await db.run(useStep, [userId, step])) > 0,
  /** False if the person has none. */
  remove: async (userId: string) => (await db.run(remove, [userId])) > 0,

  replaceCodes: async (userId: string, hashes: readonly Buffer[]) => {
    await db.run(removeCodes, [userId]);
    await db.run(insertCodes, [userId, hashes]);
  },
  /** Deletes it, so only one caller gets it. */
  takeCode: async (userId: string, hash: Buffer) => (await db.run(takeCode, [userId, hash])) > 0,
  removeCodes: (userId: string) => db.run(removeCodes, [userId]),
  countCodes: async (userId: string) => (await db.query(countCodes, [userId]))[0]?.count ?? 0,

  removeAll: async (userId: string) => {
    await db.run(removeCodes, [userId]);
    await db.run(removeAll, [userId]);
  },
  // The factor stays: a lost key must not let somebody in with only a password.
  discardSecret: (userId: string) => db.run(discardSecret, [userId]),
});

const discardSecret = sql('totp.discardSecret', `update totp_factors set sealed_secret = '' where user_id = $1`);

export const sealedInFactors = (db: Database) => [
  sealedColumn(db, {
    table: 'totp_factors',
    column: 'sealed_secret',
    noun: 'secret of an authenticator app',
    id: 'user_id',
    replace: sql('totp.reseal', 'update totp_factors set sealed_secret = $3 where user_id = $1 and sealed_secret = $2'),
  }),
];
