import { type Database, sql } from '#server/base/store/database';
import type { PostKey } from '#server/base/store/post-key';
import { sealedColumn } from '#server/base/store/sealed-column';

export interface ReceiptRow {
  readonly workspaceId: string;
  readonly number: number;
  readonly kind: 'Approved' | 'Rejected' | 'Reopened' | 'Ended';
  /** Of a decision. */
  readonly cardId: string | null;
  /** Of an approval that may publish the post, and of an end of publishing. */
  readonly postId: string | null;
  /** The canonical JSON that is signed. */
  readonly body: string;
  readonly hash: string;
  readonly keyId: string;
  readonly signature: string;
}

interface StoredKey {
  readonly id: string;
  readonly publicKey: string;
  readonly sealedPrivateKey: string;
  readonly createdAt: Date;
}

/** Until the transaction ends, nobody else appends in these workspaces. Sorted to avoid deadlocks. */
const lock = sql(
  'receipts.lock',
  `select pg_advisory_xact_lock(hashtextextended('receipts ' || id, 0))
     from (select distinct id from unnest($1::text[]) as named (id) order by id) as sorted`,
  'locks',
);
const heads = sql(
  'receipts.heads',
  `select distinct on (r.workspace_id) r.workspace_id, r.number, r.hash
     from unnest($1::text[]) as named (workspace_id) join receipts r on r.workspace_id = named.workspace_id
    order by r.workspace_id, r.number desc`,
);
const insert = sql(
  'receipts.insert',
  `insert into receipts (workspace_id, number, kind, card_id, post_id, body, hash, key_id, signature)
   values (:workspaceId, :number, :kind, :cardId, :postId, :body, :hash, :keyId, :signature)`,
);
/** The last approval of each post that has one. */
const approvals = sql(
  'receipts.approvals',
  `select r.workspace_id, r.post_id, max(r.number) as number
     from unnest($1::text[], $2::text[]) as ended (workspace_id, post_id)
     join receipts r on r.workspace_id = ended.workspace_id and r.post_id = ended.post_id
    where r.kind = 'Approved' group by 1, 2`,
);
const columns = 'r.number, r.body, r.key_id, r.signature';
/** The decision, and the ends of publishing after it. */
const ofCard = sql(
  'receipts.ofCard',
  `select ${columns} from receipts d
     join receipts r on r.workspace_id = d.workspace_id
      and (r.number = d.number or (r.post_id = d.post_id and r.kind = 'Ended' and r.number > d.number))
    where d.workspace_id = $1 and d.card_id = $2 order by r.number limit 100`,
);
const page = sql(
  'receipts.page',
  `select ${columns} from receipts r where r.workspace_id = $1 and r.number > $2 order by r.number limit $3`,
);

const lockKeys = sql('receipts.lockKeys', 'select pg_advisory_xact_lock(727042)', 'locks');
const currentKey = sql(
  'receipts.currentKey',
  `select id, public_key, sealed_private_key from receipt_keys
    where sealed_private_key <> '' order by created_at desc, id limit 1`,
);
const publicKeys = sql(
  'receipts.publicKeys',
  'select id, public_key, created_at from receipt_keys order by created_at, id',
);
const insertKey = sql(
  'receipts.insertKey',
  'insert into receipt_keys (id, public_key, sealed_private_key, created_at) values ($1, $2, $3, $4)',
);
/** The public key stays, because it verifies what was signed. */
const retireKey = sql('receipts.retireKey', `update receipt_keys set sealed_private_key = '' where id = $1`);

export type ReceiptStore = ReturnType<typeof createReceiptStore>;

export const createReceiptStore = (db: Database) => ({
  transaction: db.transaction,

  lock: (workspaceIds: readonly string[]) => db.run(lock, [workspaceIds]),
  heads: (workspaceIds: readonly string[]) => db.query(heads, [workspaceIds]),
  insert: (row: ReceiptRow) => db.run(insert, row),
  approvals: (posts: readonly PostKey[]) =>
    db.query(approvals, [posts.map(({ workspaceId }) => workspaceId), posts.map(({ postId }) => postId)]),
  ofCard: (workspaceId: string, cardId: string) => db.query(ofCard, [workspaceId, cardId]),
  page: (workspaceId: string, after: number, limit: number) => db.query(page, [workspaceId, after, limit]),

  lockKeys: () => db.run(lockKeys),
  currentKey: async () => (await db.query(currentKey))[0],
  publicKeys: () => db.query(publicKeys),
  insertKey: ({ id, publicKey, sealedPrivateKey, createdAt }: StoredKey) =>
    db.run(insertKey, [id, publicKey, sealedPrivateKey, createdAt]),
  retireKey: (id: string) => db.run(retireKey, [id]),
});

export const sealedInReceipts = (db: Database) => [
  sealedColumn(db, {
    table: 'receipt_keys',
    column: 'sealed_private_key',
    noun: 'signing key for receipts',
    replace: sql(
      'receipts.resealKey',
      'update receipt_keys set sealed_private_key = $3 where id = $1 and sealed_private_key = $2',
    ),
  }),
];
