import type { CardStatus } from '#contracts/approvals';
import type { VersionInput } from '#contracts/posts';
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
const conversation = sql(
  'approvals.conversation',
  `insert into conversations (id, workspace_id, client, created_at) values ($1, $2, $3, $4)
   on conflict (workspace_id, client) do update set client = excluded.client returning id`,
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
const countOpenOf = sql(
  'approvals.countOpenOf',
  `select count(*)::int as count from approval_cards
    where workspace_id = $1 and status = 'Open' and conversation_id = $2`,
);
/** Approved by somebody else within the last $3 ms. */
const countApprovedFor = sql(
  'approvals.countApprovedFor',
  `select count(*)::int as count from approval_cards
    where workspace_id = $1 and status = 'Approved' and requested_by = $2 and decided_by <> $2
      and decided_at > posthorn_now() - $3 * interval '1 ms'`,
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
/**
 * Cards of a workspace that have waited for $3 ms since the request or the last reminder, oldest first. Locks them in
 * the order in which a batch of approvals does, to avoid deadlocks. A concurrent instance waits for the locks and then
 * finds none.
 */
const remind = sql(
  'approvals.remind',
  `with due as (
     select id from approval_cards
      where workspace_id = $1 and status = 'Open' and expires_at > $2
        and coalesce(reminded_at, created_at) <= $2 - $3 * interval '1 ms'
      order by id for update),
   marked as (
     update approval_cards c set reminded_at = $2 from due where c.workspace_id = $1 and c.id = due.id
     returning c.id, c.conversation_id, c.is_own, c.requested_by)
   select m.id, m.conversation_id, case when m.is_own then ${personName('u')} else v.client end as client
     from marked m join conversations v on v.workspace_id = $1 and v.id = m.conversation_id
     join users u on u.id = m.requested_by
    order by m.id`,
);
const haveUnreminded = sql(
  'approvals.haveUnreminded',
  `select distinct workspace_id from approval_cards
    where status = 'Open' and expires_at > $1 and coalesce(reminded_at, created_at) <= $1 - $2 * interval '1 ms'`,
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
  attempt: db.attempt,

  lockRequests: async (workspaceId: string) => {
    await db.query(lockRequests, [workspaceId]);
  },

  conversation: async (id: string, workspaceId: string, client: string, at: Date) =>
    (await db.query(conversation, [id, workspaceId, client, at]))[0]?.id ?? id,

  insert: (card: NewCard) =>
    db.run(insert, { ...card, input: JSON.stringify(card.input), subject: JSON.stringify(card.subject) }),

  lockOpen: (workspaceId: string, requestedBy: string, action: string, subjectId: string) =>
    db.query(lockOpen, [workspaceId, requestedBy, action, subjectId]),

  open: (workspaceId: string) => db.query(open, [workspaceId]),

  countOpen: async (workspaceId: string) => (await db.query(countOpen, [workspaceId]))[0]?.count ?? 0,

  /** Open cards of one client. */
  countOpenOf: async (workspaceId: string, conversationId: string) =>
    (await db.query(countOpenOf, [workspaceId, conversationId]))[0]?.count ?? 0,

  countApprovedFor: async (workspaceId: string, requestedBy: string, withinMs: number) =>
    (await db.query(countApprovedFor, [workspaceId, requestedBy, withinMs]))[0]?.count ?? 0,

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

  /** Workspaces with an open card that is due for a reminder. */
  haveUnreminded: async (at: Date, afterMs: number) =>
    (await db.query(haveUnreminded, [at, afterMs])).map(({ workspaceId }) => workspaceId),

  /** Marks these cards as reminded, and returns them. */
  remind: (workspaceId: string, at: Date, afterMs: number) => db.query(remind, [workspaceId, at, afterMs]),

  purge: (closedBefore: Date, decisions: number) => db.run(purge, [closedBefore, decisions]),

  /** Workspaces with a conversation that has no card. */
  haveEmptyConversations: async () => (await db.query(haveEmpty)).map(({ workspaceId }) => workspaceId),

  /** Call after `lockRequests`: otherwise a card that is being created could lose its conversation. */
  removeEmptyConversations: (workspaceId: string) => db.run(removeEmpty, [workspaceId]),
});
