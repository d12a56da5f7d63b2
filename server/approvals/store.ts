import type { CardStatus } from '#contracts/approvals';
import { type Database, sql } from '#server/store/database';

export const reads = ['posts', 'users'];

/** The columns that decide whether an open card is still valid. */
export interface OpenCard {
  readonly id: string;
  readonly action: string;
  readonly input: Record<string, unknown>;
  readonly content_hash: Buffer;
  readonly status: CardStatus;
  readonly expires_at: string;
}

export interface CardRow extends OpenCard {
  readonly workspace_id: string;
  readonly conversation_id: string;
  readonly client: string;
  readonly requested_by: string;
  readonly requested_by_name: string;
  readonly subject: Record<string, unknown>;
  readonly decided_by: string | null;
  readonly decided_by_name: string | null;
  readonly decided_at: string | null;
  readonly created_at: string;
}

interface NewCard {
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

const columns = `c.id, c.workspace_id, c.conversation_id, v.client, c.requested_by, asker.email as requested_by_name, c.action,
  c.input, c.subject, c.content_hash, c.status, c.decided_by, decider.email as decided_by_name, c.decided_at, c.created_at,
  c.expires_at`;
const joins = `join conversations v on v.workspace_id = c.workspace_id and v.id = c.conversation_id
  join users asker on asker.id = c.requested_by
  left join users decider on decider.id = c.decided_by`;
const from = `from approval_cards c ${joins}`;

/**
 * Until the transaction ends, nobody else makes a request in this workspace, so counts and open cards stay the same.
 */
const lockRequests = sql(
  'approvals.lockRequests',
  `select pg_advisory_xact_lock(hashtextextended('approvals ' || $1, 0))`,
);
const conversation = sql(
  'approvals.conversation',
  `insert into conversations (id, workspace_id, client, created_at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client) do update set client = excluded.client returning id`,
);
const insert = sql(
  'approvals.insert',
  `insert into approval_cards (id, conversation_id, workspace_id, requested_by, action, input, request_hash, subject,
     content_hash, created_at, expires_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const lockOpen = sql(
  'approvals.lockOpen',
  `select ${columns} ${from}
    where c.workspace_id = $1 and c.requested_by = $2 and c.action = $3 and c.input ->> 'id' = $4 and c.status = 'Open'
    order by c.id for update of c`,
);
const open = sql(
  'approvals.open',
  `select id, action, input, content_hash, status, expires_at from approval_cards where workspace_id = $1 and status = 'Open'`,
);
const countOpen = sql(
  'approvals.countOpen',
  `select count(*)::int as count from approval_cards where workspace_id = $1 and status = 'Open'`,
);
const about = sql(
  'approvals.about',
  `select distinct on (c.action) ${columns} ${from}
    where c.workspace_id = $1 and c.input ->> 'id' = $2 order by c.action, c.id desc`,
  'quick',
);
const get = sql('approvals.get', `select ${columns} ${from} where c.id = $1 and c.workspace_id = $2`);
const lock = sql('approvals.lock', `select ${columns} ${from} where c.id = $1 and c.workspace_id = $2 for update of c`);
/** Open cards first, then newest first. A page ends early when its cards exceed $6 bytes. */
const page = sql(
  'approvals.page',
  `select ${columns}, c.total
     from (select *, count(*) over ()::int as total, sum(octet_length(subject::text) + octet_length(input::text)) over
                     (order by (status = 'Open') desc, id desc rows between unbounded preceding and 1 preceding) as bytes_before
             from (select * from approval_cards
                    where workspace_id = $1 and ($2::text is null or status = $2)
                      and ($3::text is null or (status <> 'Open' and not $4::boolean and id < $3)
                           or ($4::boolean and (status <> 'Open' or id < $3)))
                    order by (status = 'Open') desc, id desc limit $5) one) c ${joins}
    where c.bytes_before is null or c.bytes_before < $6
    order by (c.status = 'Open') desc, c.id desc`,
);
const close = sql(
  'approvals.close',
  `update approval_cards set status = $3, decided_by = $4, decided_at = $5, outcome = $6 where workspace_id = $1 and id = $2`,
);
const closeOpen = sql(
  'approvals.closeOpen',
  `update approval_cards set status = $3, decided_at = $4
    where workspace_id = $1 and id = any($2) and status = 'Open' returning id`,
);
const expire = sql(
  'approvals.expire',
  `update approval_cards set status = 'Expired', decided_at = $1 where status = 'Open' and expires_at <= $1`,
);
/** Decisions are part of the history of a post, so the last $2 stay as long as the post does. */
const purge = sql(
  'approvals.purge',
  `delete from approval_cards c
    where c.status <> 'Open' and c.decided_at < $1
      and not (c.status in ('Approved', 'Rejected')
               and exists (select from posts p where p.workspace_id = c.workspace_id and p.id = c.input ->> 'id')
               and not exists (select from approval_cards later
                                where later.workspace_id = c.workspace_id and later.input ->> 'id' = c.input ->> 'id'
                                  and later.id > c.id and later.status in ('Approved', 'Rejected') offset $2 - 1))`,
);
const isEmpty = `not exists (
  select from approval_cards c where c.workspace_id = v.workspace_id and c.conversation_id = v.id)`;
const haveEmpty = sql(
  'approvals.haveEmptyConversations',
  `select distinct workspace_id from conversations v where ${isEmpty}`,
);
const removeEmpty = sql(
  'approvals.removeEmptyConversations',
  `delete from conversations v where workspace_id = $1 and ${isEmpty}`,
);

export type ApprovalStore = ReturnType<typeof createApprovalStore>;

export const createApprovalStore = (db: Database) => ({
  transaction: db.transaction,
  rehearse: db.rehearse,

  lockRequests: async (workspaceId: string) => {
    await db.query(lockRequests, [workspaceId]);
  },

  conversation: async (id: string, workspaceId: string, client: string, at: Date) =>
    (await db.query<{ id: string }>(conversation, [id, workspaceId, client, at]))[0]?.id ?? id,

  insert: (card: NewCard) =>
    db.run(insert, [
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
    ]),

  lockOpen: (workspaceId: string, requestedBy: string, action: string, subjectId: string) =>
    db.query<CardRow>(lockOpen, [workspaceId, requestedBy, action, subjectId]),

  open: (workspaceId: string) => db.query<OpenCard>(open, [workspaceId]),

  countOpen: async (workspaceId: string) =>
    (await db.query<{ count: number }>(countOpen, [workspaceId]))[0]?.count ?? 0,

  /** The latest card of each action. */
  about: (workspaceId: string, subjectId: string) => db.query<CardRow>(about, [workspaceId, subjectId]),

  get: async (workspaceId: string, id: string) => (await db.query<CardRow>(get, [id, workspaceId]))[0],
  lock: async (workspaceId: string, id: string) => (await db.query<CardRow>(lock, [id, workspaceId]))[0],

  /** `after` is the last card of the previous page. `total` also counts cards that the byte limit left out. */
  page: (
    workspaceId: string,
    status: CardStatus | undefined,
    after: { id: string; open: boolean } | undefined,
    { limit, bytes }: { limit: number; bytes: number },
  ) =>
    db.query<CardRow & { total: number }>(page, [
      workspaceId,
      status ?? null,
      after?.id ?? null,
      after?.open ?? false,
      limit,
      bytes,
    ]),

  close: (
    workspaceId: string,
    id: string,
    status: CardStatus,
    at: Date,
    by: string | null = null,
    outcome: unknown = null,
  ) => db.run(close, [workspaceId, id, status, by, at, outcome === null ? null : JSON.stringify(outcome)]),

  /** Returns the ids that were still open. */
  closeOpen: async (workspaceId: string, ids: readonly string[], status: CardStatus, at: Date) =>
    (await db.query<{ id: string }>(closeOpen, [workspaceId, ids, status, at])).map(({ id }) => id),

  expire: (at: Date) => db.run(expire, [at]),

  purge: (closedBefore: Date, decisions: number) => db.run(purge, [closedBefore, decisions]),

  /** Workspaces with a conversation that has no card. */
  haveEmptyConversations: async () =>
    (await db.query<{ workspace_id: string }>(haveEmpty)).map(({ workspace_id }) => workspace_id),

  /** Call after `lockRequests`: otherwise a card that is being created could lose its conversation. */
  removeEmptyConversations: (workspaceId: string) => db.run(removeEmpty, [workspaceId]),
});
