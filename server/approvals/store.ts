import type { CardStatus } from '#contracts/approvals';
import { type Database, sql } from '#server/store/database';

export interface CardRow {
  readonly id: string;
  readonly workspace_id: string;
  readonly conversation_id: string;
  readonly client: string;
  readonly requested_by: string;
  readonly action: string;
  readonly input: Record<string, unknown>;
  readonly subject: Record<string, unknown>;
  readonly content_hash: Buffer;
  readonly status: CardStatus;
  readonly decided_by: string | null;
  readonly decided_at: string | null;
  readonly created_at: string;
  readonly expires_at: string;
}

export interface NewCard {
  readonly id: string;
  readonly conversationId: string;
  readonly workspaceId: string;
  readonly requestedBy: string;
  readonly action: string;
  readonly input: unknown;
  readonly requestHash: Buffer;
  readonly subject: unknown;
  readonly contentHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

const columns = `c.id, c.workspace_id, c.conversation_id, v.client, c.requested_by, c.action, c.input, c.subject,
  c.content_hash, c.status, c.decided_by, c.decided_at, c.created_at, c.expires_at`;
const from = 'from approval_cards c join conversations v on v.id = c.conversation_id';

const conversation = sql(
  'approvals.conversation',
  `insert into conversations (id, workspace_id, client, created_at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client) do update set client = excluded.client returning id`,
);
/** Nothing when the same request has an open card already; waits for one that is just being made. */
const insert = sql(
  'approvals.insert',
  `insert into approval_cards (id, conversation_id, workspace_id, requested_by, action, input, request_hash, subject,
     content_hash, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
   on conflict (workspace_id, requested_by, request_hash) where status = 'Open' do nothing returning id`,
);
const findOpen = sql(
  'approvals.findOpen',
  `select ${columns} ${from}
    where c.workspace_id = $1 and c.requested_by = $2 and c.request_hash = $3 and c.status = 'Open' for update of c`,
);
const get = sql('approvals.get', `select ${columns} ${from} where c.id = $1 and c.workspace_id = $2`);
const lock = sql('approvals.lock', `select ${columns} ${from} where c.id = $1 and c.workspace_id = $2 for update of c`);
const newest = sql(
  'approvals.newest',
  `select ${columns} ${from} where c.workspace_id = $1 order by (c.status = 'Open') desc, c.id desc limit $2`,
);
const close = sql(
  'approvals.close',
  `update approval_cards set status = $2, decided_by = $3, decided_at = $4, outcome = $5 where id = $1`,
);
const expire = sql(
  'approvals.expire',
  `update approval_cards set status = 'Expired', decided_at = $1 where status = 'Open' and expires_at <= $1`,
);

export type ApprovalStore = ReturnType<typeof createApprovalStore>;

export const createApprovalStore = (db: Database) => ({
  transaction: db.transaction,

  conversation: async (id: string, workspaceId: string, client: string, at: Date) =>
    (await db.query<{ id: string }>(conversation, [id, workspaceId, client, at]))[0]?.id ?? id,

  insert: async (card: NewCard) =>
    (await db.run(insert, [
      card.id,
      card.conversationId,
      card.workspaceId,
      card.requestedBy,
      card.action,
      JSON.stringify(card.input),
      card.requestHash,
      JSON.stringify(card.subject),
      card.contentHash,
      card.createdAt,
      card.expiresAt,
    ])) > 0,

  findOpen: async (workspaceId: string, requestedBy: string, requestHash: Buffer) =>
    (await db.query<CardRow>(findOpen, [workspaceId, requestedBy, requestHash]))[0],

  get: async (workspaceId: string, id: string) => (await db.query<CardRow>(get, [id, workspaceId]))[0],
  lock: async (workspaceId: string, id: string) => (await db.query<CardRow>(lock, [id, workspaceId]))[0],
  newest: (workspaceId: string, limit: number) => db.query<CardRow>(newest, [workspaceId, limit]),

  close: (id: string, status: CardStatus, at: Date, by: string | null = null, outcome: unknown = null) =>
    db.run(close, [id, status, by, at, outcome === null ? null : JSON.stringify(outcome)]),

  expire: (at: Date) => db.run(expire, [at]),
});
