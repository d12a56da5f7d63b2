import type { CardStatus } from '#contracts/approvals';
import { type Database, type RowOf, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['posts', 'users'];

export type CardRow = RowOf<typeof get>;
/** The columns that decide whether an open card is still valid. */
export type OpenCard = RowOf<typeof open>;

interface CardContent extends OpenContent {
  readonly subject: Record<string, unknown>;
}

interface OpenContent {
  readonly input: Record<string, unknown>;
  readonly status: CardStatus;
}

interface Closing {
  readonly status: CardStatus;
  readonly at: Date;
  /** Absent: nobody decided it. */
  readonly by?: string;
  readonly reason?: string | undefined;
  readonly outcome?: unknown;
}

interface NewCard {
  readonly id: string;
  readonly conversationId: string;
  readonly workspaceId: string;
  readonly requestedBy: string;
  readonly isOwn: boolean;
  readonly action: string;
  readonly input: unknown;
  readonly requestHash: Buffer;
  readonly subject: unknown;
  readonly contentHash: Buffer;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Files were still being prepared at the time of the request, and the card does not show them yet. */
const preparing = (c: string) => `coalesce((${c}.subject ->> 'isPreparing')::boolean, false) as is_preparing`;
/** `is_own`: requested in the app by the person, not by an agent of theirs. */
const columns = `c.id, c.workspace_id, c.conversation_id, v.client, c.requested_by, asker.email as requested_by_name,
  c.is_own, ${personName('asker')} as asker_name, c.action,
  c.input, c.subject, c.content_hash, c.status, c.decided_by, decider.email as decided_by_name, c.decided_at, c.reason,
  c.created_at, c.expires_at, ${preparing('c')}`;
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
  'locks',
);
const insert = sql(
  'approvals.insert',
  `insert into approval_cards (id, conversation_id, workspace_id, requested_by, action, input, request_hash, subject,
     content_hash, created_at, expires_at, is_own)
   values (:id, :conversationId, :workspaceId, :requestedBy, :action, :input, :requestHash, :subject, :contentHash, :createdAt,
     :expiresAt, :isOwn)`,
);
const lockOpen = sql(
  'approvals.lockOpen',
  `select ${columns} ${from}
    where c.workspace_id = $1 and c.requested_by = $2 and c.action = $3 and c.input ->> 'id' = $4 and c.status = 'Open'
    order by c.id for update of c`,
  'locks',
).holds<CardContent>();
const open = sql(
  'approvals.open',
  `select id, action, input, content_hash, status, expires_at, ${preparing('approval_cards')}
     from approval_cards where workspace_id = $1 and status = 'Open'`,
).holds<OpenContent>();
const countOpen = sql(
  'approvals.countOpen',
  `select count(*)::int as count from approval_cards where workspace_id = $1 and status = 'Open'`,
);
const about = sql(
  'approvals.about',
  `select distinct on (c.action) ${columns} ${from}
    where c.workspace_id = $1 and c.input ->> 'id' = $2 order by c.action, c.id desc`,
  'quick',
).holds<CardContent>();
const get = sql(
  'approvals.get',
  `select ${columns} ${from} where c.id = $1 and c.workspace_id = $2`,
).holds<CardContent>();
const lock = sql(
  'approvals.lock',
  `select ${columns} ${from} where c.id = $1 and c.workspace_id = $2 for update of c`,
  'locks',
).holds<CardContent>();
/** Open cards first, then newest first. A page ends early when its cards exceed `bytes`. */
const page = sql(
  'approvals.page',
  `select ${columns}, c.total
     from (select *, count(*) over ()::int as total, sum(octet_length(subject::text) + octet_length(input::text)) over
                     (order by (status = 'Open') desc, id desc rows between unbounded preceding and 1 preceding) as bytes_before
             from (select * from approval_cards
                    where workspace_id = :workspaceId and (:status::text is null or status = :status)
                      and (:afterId::text is null or (status <> 'Open' and not :isAfterOpen::boolean and id < :afterId)
                           or (:isAfterOpen::boolean and (status <> 'Open' or id < :afterId)))
                    order by (status = 'Open') desc, id desc limit :limit) one) c ${joins}
    where c.bytes_before is null or c.bytes_before < :bytes
    order by (c.status = 'Open') desc, c.id desc`,
).holds<CardContent>();
const close = sql(
  'approvals.close',
  `update approval_cards set status = :status, decided_by = :by, decided_at = :at, outcome = :outcome, reason = :reason
    where workspace_id = :workspaceId and id = :id`,
);
const reopen = sql(
  'approvals.reopen',
  `update approval_cards set status = 'Open', decided_by = null, decided_at = null, reason = null
    where workspace_id = $1 and id = $2 and status = 'Rejected'`,
);
const setContent = sql(
  'approvals.setContent',
  `update approval_cards set subject = $3, content_hash = $4 where workspace_id = $1 and id = $2 and status = 'Open'`,
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

export type CardStore = ReturnType<typeof createCardStore>;

export const createCardStore = (db: Database) => ({
  transaction: db.transaction,
  rehearse: db.rehearse,
  attempt: db.attempt,

  lockRequests: async (workspaceId: string) => {
    await db.query(lockRequests, [workspaceId]);
  },

  insert: (card: NewCard) =>
    db.run(insert, { ...card, input: JSON.stringify(card.input), subject: JSON.stringify(card.subject) }),

  lockOpen: (workspaceId: string, requestedBy: string, action: string, subjectId: string) =>
    db.query(lockOpen, [workspaceId, requestedBy, action, subjectId]),

  open: (workspaceId: string) => db.query(open, [workspaceId]),

  countOpen: async (workspaceId: string) => (await db.query(countOpen, [workspaceId]))[0]?.count ?? 0,

  /** The latest card of each action. */
  about: (workspaceId: string, subjectId: string) => db.query(about, [workspaceId, subjectId]),

  get: async (workspaceId: string, id: string) => (await db.query(get, [id, workspaceId]))[0],
  lock: async (workspaceId: string, id: string) => (await db.query(lock, [id, workspaceId]))[0],

  /** `after` is the last card of the previous page. `total` also counts cards that the byte limit left out. */
  page: (
    workspaceId: string,
    status: CardStatus | undefined,
    after: { id: string; open: boolean } | undefined,
    { limit, bytes }: { limit: number; bytes: number },
  ) =>
    db.query(page, {
      workspaceId,
      status: status ?? null,
      afterId: after?.id ?? null,
      isAfterOpen: after?.open ?? false,
      limit,
      bytes,
    }),

  close: (workspaceId: string, id: string, { status, at, by, reason, outcome }: Closing) =>
    db.run(close, {
      workspaceId,
      id,
      status,
      at,
      by: by ?? null,
      outcome: outcome === undefined ? null : JSON.stringify(outcome),
      reason: reason ?? null,
    }),

  reopen: (workspaceId: string, id: string) => db.run(reopen, [workspaceId, id]),

  /** Replaces what an open card shows, and the hash that it is pinned to. */
  setContent: (workspaceId: string, id: string, subject: unknown, contentHash: Buffer) =>
    db.run(setContent, [workspaceId, id, JSON.stringify(subject), contentHash]),

  /** Returns the ids that were still open. */
  closeOpen: async (workspaceId: string, ids: readonly string[], status: CardStatus, at: Date) =>
    (await db.query(closeOpen, [workspaceId, ids, status, at])).map(({ id }) => id),

  expire: (at: Date) => db.run(expire, [at]),

  purge: (closedBefore: Date, decisions: number) => db.run(purge, [closedBefore, decisions]),
});
