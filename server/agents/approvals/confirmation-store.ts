import type { VersionInput } from '#contracts/posts';
import { type Database, sql } from '#server/base/store/database';

/** An edit whose files are in the library and fitted. */
export interface PreparedEdit {
  /** Absent: the texts and files stay. */
  readonly versions?: readonly VersionInput[];
  /** Absent: all accounts of the request. */
  readonly accountIds?: readonly string[];
  readonly alts?: readonly { readonly mediaId: string; readonly alt: string }[] | undefined;
  readonly scheduledAt?: string | undefined;
}

/** A card, and the content of it that a person is about to confirm. */
export interface ConfirmedCard {
  readonly id: string;
  /** The content hash in hex; with an edit, that of the edited post. */
  readonly content: string;
  readonly edit?: PreparedEdit | undefined;
}

const insertConfirmation = sql(
  'approvals.insertConfirmation',
  `insert into approval_confirmations (workspace_id, id, user_id, nonce, cards, created_at)
   values (:workspaceId, :id, :userId, :nonce, :cards, :createdAt)`,
);
const lockConfirmation = sql(
  'approvals.lockConfirmation',
  `select nonce, cards, assertion from approval_confirmations
    where workspace_id = $1 and id = $2 and user_id = $3 and created_at > $4 for update`,
  'locks',
).holds<{ cards: readonly ConfirmedCard[] }>();
const acceptAssertion = sql(
  'approvals.acceptAssertion',
  'update approval_confirmations set assertion = $3 where workspace_id = $1 and id = $2',
);
const purgeConfirmations = sql(
  'approvals.purgeConfirmations',
  'delete from approval_confirmations where created_at <= $1',
);

export type ConfirmationStore = ReturnType<typeof createConfirmationStore>;

export const createConfirmationStore = (db: Database) => ({
  transaction: db.transaction,

  insertConfirmation: (row: {
    workspaceId: string;
    id: string;
    userId: string;
    nonce: string;
    cards: readonly ConfirmedCard[];
    createdAt: Date;
  }) => db.run(insertConfirmation, { ...row, cards: JSON.stringify(row.cards) }),
  lockConfirmation: async (workspaceId: string, id: string, userId: string, createdAfter: Date) =>
    (await db.query(lockConfirmation, [workspaceId, id, userId, createdAfter]))[0],
  acceptAssertion: (workspaceId: string, id: string, digest: Buffer) =>
    db.run(acceptAssertion, [workspaceId, id, digest]),
  purgeConfirmations: (createdBefore: Date) => db.run(purgeConfirmations, [createdBefore]),
});
