import type { ApprovalEdit } from '#contracts/approvals';
import type { Caller } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import { type CardToCheck, createCardApproval } from './approve-card.ts';
import { isRequestOf, onlyApprovers } from './approvers.ts';
import { createCardClosing } from './card-closing.ts';
import { idOf } from './card-validity.ts';
import type { Assertion } from './confirmations.ts';
import { createEditOnApproval } from './edit-on-approval.ts';
import { createApprovalRehearsal } from './rehearse-approvals.ts';

type DecisionParts = Parameters<typeof createCardClosing>[0] &
  Parameters<typeof createEditOnApproval>[0] &
  Omit<Parameters<typeof createCardApproval>[0], 'closing' | 'edits'>;

/** Slightly longer than the app offers Undo. */
const undoMs = 15_000;

type CheckResult = {
  id: string;
  error?: Refusal['body'];
  sameMinute: { id: string; text: string }[];
};

export type Decisions = ReturnType<typeof createDecisions>;

/** Approvals and rejections by people. */
export const createDecisions = (parts: DecisionParts) => {
  const { store, validity, audit, requestNotifications, live, approvers, confirmations, clock } = parts;
  const { isExpired, closeOpen, isUnchanged } = validity;
  const closing = createCardClosing(parts);
  const cardApproval = createCardApproval({ ...parts, closing, edits: createEditOnApproval(parts) });
  const rehearse = createApprovalRehearsal({ ...parts, cardApproval });
  const { lockUndecided, prepare, approveLocked } = cardApproval;
  const { settle, writeReceipt } = closing;

  return {
    approve: async (
      caller: Caller,
      id: string,
      { edit, confirmation }: { edit?: ApprovalEdit | undefined; confirmation?: Assertion | undefined } = {},
    ) => {
      if (edit && confirmation) {
        const message = 'must be left out: what was confirmed with a passkey has its edit';
        throw badInput({ path: 'edit', code: 'Invalid', message });
      }
      const prepared = await prepare(caller, { id, edit, ...(confirmation && { confirmation }) });
      let isLocked = false;
      const decide = async () => {
        const row = await lockUndecided(caller, id);
        isLocked = true;
        return approveLocked(caller, row, { edit: prepared, confirmation });
      };
      const result = await store.transaction(decide).catch(async (error: unknown) => {
        // For example a post that was saved without changes: its updatedAt no longer equals the request's
        // baseUpdatedAt.
        const isOutdated = isLocked && error instanceof Refusal && error.code === 'Conflict' && !error.isTemporary;
        if (isOutdated) await closeOpen(caller, [{ id }], 'Outdated');
        throw error;
      });
      if ('refusal' in result) throw new Refusal('Conflict', result.refusal);
    },

    reject: (caller: Caller, id: string, { reason }: { reason?: string | undefined } = {}) =>
      store.transaction(async () => {
        const row = await lockUndecided(caller, id, ['Open', 'Outdated']);
        // People may withdraw their own requests.
        if (!isRequestOf(row, caller.userId) && !(await approvers.lock(caller))) {
          throw new Refusal('Forbidden', onlyApprovers);
        }
        const rejected = { status: 'Rejected' as const, contentHash: row.contentHash };
        await settle(caller, row, { ...rejected, reason: reason || undefined });
        await requestNotifications.countOpen(caller, row);
        await writeReceipt(caller, row, rejected);
      }),

    /** Undoes a recent rejection, if neither the request nor its subject has changed since. */
    reopen: (caller: Caller, id: string) =>
      store.transaction(async () => {
        const { workspaceId, userId } = caller;
        await store.lockRequests(workspaceId);
        const row = await store.lock(workspaceId, id);
        if (row === undefined) throw notFound('approval card', id);
        const isRecent = clock.now().getTime() - Date.parse(row.decidedAt ?? '') <= undoMs;
        if (row.status !== 'Rejected' || row.decidedBy !== userId || !isRecent) throw tooLateToReopen();
        if (!isRequestOf(row, userId) && !(await approvers.lock(caller))) throw new Refusal('Forbidden', onlyApprovers);
        const newer = await store.lockOpen(workspaceId, row.requestedBy, row.action, idOf(row));
        if (newer.length > 0 || isExpired(row) || !(await isUnchanged(caller, row))) throw tooLateToReopen();
        await store.reopen(workspaceId, id);
        await requestNotifications.recallRejection(row);
        await audit.write({
          event: 'approval.reopened',
          workspaceId,
          userId,
          ...(!row.isOwn && { client: row.client }),
          details: { cardId: id, action: row.action, input: row.input },
        });
        await live.publish({ workspaceId, kind: 'approval', id });
        await requestNotifications.countOpen(caller, row);
        await writeReceipt(caller, row, { status: 'Reopened', contentHash: row.contentHash });
      }),

    /** What would happen if these cards were approved one after the other, so that a person knows before approving. */
    check: async (caller: Caller, cards: readonly CardToCheck[]): Promise<CheckResult[]> => {
      const { inOrder, errors, clashes, posts } = await rehearse(caller, cards);
      return inOrder.map(({ id }) => {
        const error = errors.get(id)?.body;
        const sameMinute = clashes.filter(({ postId }) => postId === posts.get(id)).map(({ postId: _, ...one }) => one);
        return { id, ...(error && { error }), sameMinute };
      });
    },

    /**
     * Starts a passkey confirmation of the content of all these cards, with their edits. Throws if one cannot be
     * approved.
     */
    beginConfirmation: async (caller: Caller, cards: readonly CardToCheck[]) => {
      const { inOrder, errors, edits, contents } = await rehearse(caller, cards);
      for (const error of errors.values()) throw error;
      return confirmations.begin(
        caller,
        inOrder.map(({ id }) => ({ id, content: contents.get(id) ?? '', edit: edits.get(id) })),
      );
    },
  };
};

const tooLateToReopen = () =>
  new Refusal(
    'Conflict',
    'This rejection stays: too much time has passed, or something changed since. The client can ask again.',
  );
