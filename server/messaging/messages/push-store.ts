import { type Database, sql } from '#server/base/store/database';
import { sealedColumn } from '#server/base/store/sealed-column';

export const reads = ['sessions'];

export interface PushAddress {
  readonly id: string;
  readonly sealed: string;
  /** In hex. */
  readonly endpointHash: string;
}

/** Deletes pending messages too (cascade): after another person signs in, the browser must not show what was meant for the first. */
const dropOfOthers = sql(
  'pushBrowsers.dropOfOthers',
  'delete from push_subscriptions where endpoint_hash = $1 and user_id <> $2',
);
const saveBrowser = sql(
  'pushBrowsers.save',
  `insert into push_subscriptions (id, user_id, session_id, endpoint_hash, subscription) values ($1, $2, $3, $4, $5)
   on conflict (endpoint_hash) do update set session_id = excluded.session_id, subscription = excluded.subscription
   returning id`,
);
/** Keeps one per session and the newest per person, because a browser that renews its endpoint leaves the old one behind. */
const dropOthers = sql(
  'pushBrowsers.dropOthers',
  `delete from push_subscriptions where user_id = $1 and id <> $2 and (session_id = $3 or id in (
     select id from push_subscriptions where user_id = $1 order by id desc offset $4))`,
);
const listBrowsers = sql(
  'pushBrowsers.list',
  `select p.id, s.user_agent as browser, p.created_at as since, p.session_id
     from push_subscriptions p join sessions s on s.id = p.session_id where p.user_id = $1 order by p.id desc`,
);
const removeBrowser = sql('pushBrowsers.remove', 'delete from push_subscriptions where user_id = $1 and id = $2');
const forgetBrowser = sql('pushBrowsers.forget', 'delete from push_subscriptions where id = $1');
const discardLostBrowser = sql(
  'pushBrowsers.discardLost',
  "delete from push_subscriptions where endpoint_hash = decode($1, 'hex') and subscription = $2",
);
const forgetAllBrowsers = sql('pushBrowsers.forgetAll', 'delete from push_subscriptions');
const forgetPersonBrowsers = sql('pushBrowsers.forgetPerson', 'delete from push_subscriptions where user_id = $1');
const forgetKeys = sql('pushKeys.forget', 'delete from push_keys');
const readKeys = sql('pushKeys.read', 'select public_key, private_key from push_keys');
const insertKeys = sql(
  'pushKeys.insert',
  'insert into push_keys (public_key, private_key) values ($1, $2) on conflict do nothing',
);

export type PushStore = ReturnType<typeof createPushStore>;

export const createPushStore = (db: Database) => ({
  transaction: db.transaction,
  dropOfOthers: (endpointHash: Buffer, userId: string) => db.run(dropOfOthers, [endpointHash, userId]),
  /** The id of the row, which is the old one when the endpoint was subscribed before. */
  save: async (id: string, userId: string, sessionId: string, endpointHash: Buffer, subscription: string) =>
    (await db.query(saveBrowser, [id, userId, sessionId, endpointHash, subscription]))[0]?.id ?? id,
  dropOthers: (userId: string, id: string, sessionId: string, maxBrowsers: number) =>
    db.run(dropOthers, [userId, id, sessionId, maxBrowsers]),
  list: (userId: string) => db.query(listBrowsers, [userId]),
  remove: async (userId: string, id: string) => (await db.run(removeBrowser, [userId, id])) > 0,
  forgetPerson: (userId: string) => db.run(forgetPersonBrowsers, [userId]),
  /** The push service no longer knows it. */
  forget: (id: string) => db.run(forgetBrowser, [id]),
  discardLost: (endpointHash: string, sealed: string) => db.run(discardLostBrowser, [endpointHash, sealed]),
  /** Deletes the subscriptions too, because each is bound to this key. */
  forgetKeys: async () => {
    await db.run(forgetAllBrowsers);
    await db.run(forgetKeys);
  },
  keys: async () => (await db.query(readKeys))[0],
  insertKeys: (publicKey: string, privateKey: string) => db.run(insertKeys, [publicKey, privateKey]),
});

export const sealedInPush = (db: Database) => [
  sealedColumn(db, {
    table: 'push_subscriptions',
    column: 'subscription',
    noun: 'push subscription',
    id: "encode(endpoint_hash, 'hex')",
    replace: sql(
      'pushBrowsers.reseal',
      "update push_subscriptions set subscription = $3 where endpoint_hash = decode($1, 'hex') and subscription = $2",
    ),
  }),
  sealedColumn(db, {
    table: 'push_keys',
    column: 'private_key',
    noun: 'key for push messages',
    id: "'one'",
    replace: sql('pushKeys.reseal', "update push_keys set private_key = $3 where $1 = 'one' and private_key = $2"),
  }),
];
