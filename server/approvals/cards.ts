import { createHash } from 'node:crypto';
import type { Account } from '#contracts/accounts';
import type { ApprovalCard, CardStatus } from '#contracts/approvals';
import type { Accounts } from '#server/accounts/accounts';
import type { AuditLog } from '#server/audit/audit-log';
import type { Clock } from '#server/clock';
import type { Caller } from '#server/context';
import { notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/live';
import type { Lifecycle } from '#server/posts/lifecycle';
import { findAction, type RunnableAction } from '#server/run-action';
import type { ApprovalStore, CardRow } from './store.ts';
import { contentHash, type Subject, type Subjects } from './subject.ts';

const openMs = 7 * 24 * 60 * 60 * 1000;
const listed = 100;

export interface ApprovalRequest {
  readonly caller: Caller;
  readonly client: string;
  readonly action: string;
  readonly input: Record<string, unknown>;
  readonly requestId: string;
}

export type ApprovalCards = ReturnType<typeof createApprovalCards>;

/** What agents ask for and a human decides. No door but the app's calls approve or reject. */
export const createApprovalCards = ({
  store,
  subjects,
  accounts,
  lifecycle,
  actions,
  audit,
  live,
  baseUrl,
  clock,
}: {
  store: ApprovalStore;
  subjects: Subjects;
  accounts: Accounts;
  lifecycle: Lifecycle;
  actions: ReadonlyMap<string, RunnableAction>;
  audit: AuditLog;
  live: Live;
  baseUrl: string;
  clock: Clock;
}) => {
  const urlOf = (id: string) => `${baseUrl}/approvals/${id}`;

  const show = (row: CardRow, known: ReadonlyMap<string, Account>): ApprovalCard => {
    const { post, account } = row.subject as Subject;
    const isLate = row.status === 'Open' && new Date(row.expires_at) <= clock.now();
    return {
      id: row.id,
      status: isLate ? 'Expired' : row.status,
      conversation: { id: row.conversation_id, title: `Requests from ${row.client}` },
      client: row.client,
      action: row.action,
      input: row.input,
      requestedBy: row.requested_by,
      ...(post && { post }),
      ...(account && { account }),
      accounts: (post?.accountIds ?? []).map((id) => known.get(id)).filter((one): one is Account => one !== undefined),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      ...(row.decided_at !== null && { decidedAt: row.decided_at }),
      ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    };
  };

  const knownAccounts = async (caller: Caller) => new Map((await accounts.list(caller)).map((one) => [one.id, one]));

  /** With its validation, which a list leaves out: a hundred long posts would be checked for a glance. */
  const get = async (caller: Caller, id: string): Promise<ApprovalCard> => {
    const row = await store.get(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    const card = show(row, await knownAccounts(caller));
    return card.post ? { ...card, validation: await lifecycle.findings(caller, card.post) } : card;
  };

  /** The card, locked and still to be decided. An expired one is closed, and the caller told after the commit. */
  const undecided = async (caller: Caller, id: string) => {
    const row = await store.lock(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    if (row.status !== 'Open') throw new Refusal('Conflict', `This request is ${row.status} already.`);
    return row;
  };

  const settle = async (caller: Caller, row: CardRow, status: CardStatus, outcome?: unknown) => {
    await store.close(row.id, status, clock.now(), caller.userId, outcome);
    await audit.write({
      event: `approval.${status.toLowerCase()}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      client: row.client,
      details: { cardId: row.id, action: row.action, input: row.input },
    });
    await live.tell({ workspaceId: caller.workspaceId, kind: 'approval', id: row.id });
  };

  return {
    /** The same request while its card is open returns the same card, unless what it is about has changed. */
    request: ({ caller, client, action, input, requestId }: ApprovalRequest): Promise<{ approvalUrl: string }> =>
      store.transaction(async () => {
        const subject = await subjects.find(caller, action, String(input.id));
        if (subject.post) await lifecycle.mustBeCovered(caller, subject.post, action);
        const hash = contentHash(subject);
        const requestHash = createHash('sha256')
          .update(`${action} ${JSON.stringify(input)}`)
          .digest();
        const now = clock.now();
        const open = await store.findOpen(caller.workspaceId, caller.userId, requestHash);
        if (open !== undefined) {
          if (new Date(open.expires_at) <= now) await store.close(open.id, 'Expired', now);
          else if (!open.content_hash.equals(hash)) await store.close(open.id, 'Outdated', now);
          else return { approvalUrl: urlOf(open.id) };
        }
        const conversationId = await store.conversation(newId('conversation', now), caller.workspaceId, client, now);
        const card = {
          id: newId('card', now),
          conversationId,
          workspaceId: caller.workspaceId,
          requestedBy: caller.userId,
          action,
          input,
          requestHash,
          subject,
          contentHash: hash,
          createdAt: now,
          expiresAt: new Date(now.getTime() + openMs),
        };
        if (!(await store.insert(card))) {
          // A twin of this call was quicker: clients are known to send every call twice.
          const twin = await store.findOpen(caller.workspaceId, caller.userId, requestHash);
          if (twin === undefined) throw new Error('an open card that blocks another is gone');
          return { approvalUrl: urlOf(twin.id) };
        }
        await audit.write({
          event: 'approval.requested',
          workspaceId: caller.workspaceId,
          userId: caller.userId,
          client,
          requestId,
          details: { cardId: card.id, action, input },
        });
        await live.tell({
          workspaceId: caller.workspaceId,
          kind: 'approval',
          id: card.id,
          text: `${client} asks for ${action}`,
        });
        return { approvalUrl: urlOf(card.id) };
      }),

    list: async (caller: Caller) => {
      const known = await knownAccounts(caller);
      return (await store.newest(caller.workspaceId, listed)).map((row) => show(row, known));
    },

    get,

    /** Runs the action as the approving human, in the transaction that closes the card: twice at once runs once. */
    approve: async (caller: Caller, id: string) => {
      const refused = await store.transaction(async () => {
        const row = await undecided(caller, id);
        if (new Date(row.expires_at) <= clock.now()) {
          await settle(caller, row, 'Expired');
          return 'This request is older than 7 days and has expired.';
        }
        const subject = await subjects.find(caller, row.action, String(row.input.id));
        if (!contentHash(subject).equals(row.content_hash)) {
          await settle(caller, row, 'Outdated');
          return 'The post was changed after the request. Look at it again; the agent can ask anew.';
        }
        const action = findAction(actions, row.action);
        const outcome = await action.run(action.parse(row.input), { ...caller, human: true });
        await settle(caller, row, 'Approved', outcome);
        return undefined;
      });
      if (refused !== undefined) throw new Refusal('Conflict', refused);
      return get(caller, id);
    },

    reject: async (caller: Caller, id: string) => {
      await store.transaction(async () => settle(caller, await undecided(caller, id), 'Rejected'));
      return get(caller, id);
    },

    /** For the sweep: cards that nobody decided in time. */
    expire: () => store.expire(clock.now()),
  };
};
