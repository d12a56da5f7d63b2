import { type Database, sql } from '#server/base/store/database';
import { personName } from '#server/base/store/person-name';

export const reads = ['users'];

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

export type RequestNotificationStore = ReturnType<typeof createRequestNotificationStore>;

export const createRequestNotificationStore = (db: Database) => ({
  transaction: db.transaction,

  /** Open cards of one client. */
  countOpenOf: async (workspaceId: string, conversationId: string) =>
    (await db.query(countOpenOf, [workspaceId, conversationId]))[0]?.count ?? 0,

  countApprovedFor: async (workspaceId: string, requestedBy: string, withinMs: number) =>
    (await db.query(countApprovedFor, [workspaceId, requestedBy, withinMs]))[0]?.count ?? 0,

  /** Workspaces with an open card that is due for a reminder. */
  haveUnreminded: async (at: Date, afterMs: number) =>
    (await db.query(haveUnreminded, [at, afterMs])).map(({ workspaceId }) => workspaceId),

  /** Marks these cards as reminded, and returns them. */
  remind: (workspaceId: string, at: Date, afterMs: number) => db.query(remind, [workspaceId, at, afterMs]),
});
