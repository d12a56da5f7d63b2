import type { JWK } from 'jose';
import type { AdapterPayload } from 'oidc-provider';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

export const reads = ['users'];

const upsert = sql(
  'identity.upsert',
  `insert into identity_records (model, id, payload, grant_id, uid, user_code, expires_at)
   values (:model, :id, :payload, :grantId, :uid, :userCode, :expiresAt)
   on conflict (model, id) do update set payload = excluded.payload, grant_id = excluded.grant_id,
     uid = excluded.uid, user_code = excluded.user_code, expires_at = excluded.expires_at`,
);
const notExpired = '(expires_at is null or expires_at > $3)';
const find = sql(
  'identity.find',
  `select payload, consumed_at from identity_records where model = $1 and id = $2 and ${notExpired}`,
).holds<{ payload: AdapterPayload }>();
const findByUid = sql(
  'identity.findByUid',
  `select payload, consumed_at from identity_records where model = $1 and uid = $2 and ${notExpired}`,
).holds<{ payload: AdapterPayload }>();
const consume = sql(
  'identity.consume',
  'update identity_records set consumed_at = $3 where model = $1 and id = $2 and consumed_at is null',
);
const destroy = sql('identity.destroy', 'delete from identity_records where model = $1 and id = $2');
const revokeGrant = sql('identity.revokeGrant', 'delete from identity_records where model = $1 and grant_id = $2');
const purgeRecords = sql('identity.purge', 'delete from identity_records where expires_at <= $1');
const forgetRecords = sql(
  'identity.forget',
  "delete from identity_records where payload->>'accountId' = $1 or payload->'session'->>'accountId' = $1",
);
const forgetClient = sql(
  'identity.forgetClient',
  "delete from identity_records where payload->>'accountId' = $1 and payload->>'clientId' = $2",
);

const lockKeys = sql('identity.lockKeys', 'select pg_advisory_xact_lock(727004)', 'locks');
const readKeys = sql(
  'identity.keys',
  `select id, public_key, sealed_private_key, created_at from signing_keys
    where retired_at is null or retired_at > $1 order by created_at, id`,
).holds<{ publicKey: JWK }>();
const insertKey = sql(
  'identity.insertKey',
  'insert into signing_keys (id, public_key, sealed_private_key, created_at) values ($1, $2, $3, $4)',
);
const retireKeys = sql('identity.retireKeys', 'update signing_keys set retired_at = $1 where retired_at is null');
const deleteKey = sql('identity.deleteKey', 'delete from signing_keys where id = $1');
const purgeKeys = sql('identity.purgeKeys', 'delete from signing_keys where retired_at <= $1');

const userById = sql(
  'identity.userById',
  'select id, email, tokens_valid_after <= $2 as trusted from users where id = $1',
);
const userBySubject = sql(
  'identity.userBySubject',
  'select id, email, tokens_valid_after <= $2 as trusted from users where subject = $1',
);

export interface StoredKey extends Omit<RowOf<typeof readKeys>, 'createdAt'> {
  readonly createdAt: Date;
}

/** `trusted` is whether a token issued at that time is still valid. */
export type TokenUser = RowOf<typeof userById>;

export type IdentityStore = ReturnType<typeof createIdentityStore>;

export const createIdentityStore = (db: Database) => {
  const payloadOf = ([row]: RowOf<typeof find>[]) =>
    row && (row.consumedAt === null ? row.payload : { ...row.payload, consumed: Date.parse(row.consumedAt) / 1000 });

  return {
    transaction: db.transaction,

    upsert: async (model: string, id: string, payload: AdapterPayload, expiresAt: Date | undefined) => {
      const { grantId, uid, userCode } = payload;
      await db.run(upsert, {
        model,
        id,
        payload: JSON.stringify(payload),
        grantId: grantId ?? null,
        uid: uid ?? null,
        userCode: userCode ?? null,
        expiresAt: expiresAt ?? null,
      });
    },
    find: async (model: string, id: string, now: Date) => payloadOf(await db.query(find, [model, id, now])),
    findByUid: async (model: string, uid: string, now: Date) => payloadOf(await db.query(findByUid, [model, uid, now])),
    /** False if it was already consumed. */
    consume: async (model: string, id: string, now: Date) => (await db.run(consume, [model, id, now])) > 0,
    destroy: (model: string, id: string) => db.run(destroy, [model, id]),
    revokeGrant: (model: string, grantId: string) => db.run(revokeGrant, [model, grantId]),

    purge: async (now: Date) => (await db.run(purgeRecords, [now])) + (await db.run(purgeKeys, [now])),

    /** Deletes the records of one client of the user, or all records of the user. */
    forget: (userId: string, clientId?: string) =>
      clientId === undefined ? db.run(forgetRecords, [userId]) : db.run(forgetClient, [userId, clientId]),

    lockKeys: () => db.run(lockKeys),
    keys: async (now: Date): Promise<StoredKey[]> => {
      const rows = await db.query(readKeys, [now]);
      return rows.map((row) => ({ ...row, createdAt: new Date(row.createdAt) }));
    },
    insertKey: ({ id, publicKey, sealedPrivateKey, createdAt }: StoredKey) =>
      db.run(insertKey, [id, JSON.stringify(publicKey), sealedPrivateKey, createdAt]),
    retireKeys: (at: Date) => db.run(retireKeys, [at]),
    deleteKey: (id: string) => db.run(deleteKey, [id]),

    userById: async (id: string, tokenOf: Date) => (await db.query(userById, [id, tokenOf]))[0],
    userBySubject: async (subject: string, tokenOf: Date) => (await db.query(userBySubject, [subject, tokenOf]))[0],
  };
};

export const sealedInIdentity = (db: Database) => [
  sealedColumn(db, {
    table: 'signing_keys',
    column: 'sealed_private_key',
    noun: 'signing key for access tokens',
    replace: sql(
      'identity.resealKey',
      'update signing_keys set sealed_private_key = $3 where id = $1 and sealed_private_key = $2',
    ),
  }),
];
