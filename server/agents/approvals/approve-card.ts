import type { ApprovalEdit, CardStatus } from '#contracts/approvals';
import { type AdmittedCall, findAction, type RunnableAction, runNow } from '#server/agents/admission';
import { ApprovalRun, type Caller, clientNamed } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import type { Readiness } from '#server/writing/posts/readiness';
import { type Approvers, decisionOf, onlyApprovers } from './approvers.ts';
import type { CardClosing } from './card-closing.ts';
import type { CardRow, CardStore } from './card-store.ts';
import type { CardValidity } from './card-validity.ts';
import type { PreparedEdit } from './confirmation-store.ts';
import type { Assertion, Confirmations } from './confirmations.ts';
import { type EditOnApproval, filesToChange } from './edit-on-approval.ts';
import type { RequestNotifications } from './request-notifications.ts';
import type { Subject } from './subject.ts';

/** How a person approves one card. */
interface Yes {
  readonly edit?: PreparedEdit | undefined;
  readonly confirmation?: Assertion | undefined;
  readonly isRehearsal?: boolean;
}

export interface CardToCheck {
  readonly id: string;
  readonly edit?: ApprovalEdit | undefined;
}

export type CardApproval = ReturnType<typeof createCardApproval>;

/** Approves one card: what is slow before, then the rest under its lock. */
export const createCardApproval = ({
  store,
  validity,
  readiness,
  actions,
  approvers,
  confirmations,
  requestNotifications,
  closing,
  edits,
}: {
  store: CardStore;
  validity: CardValidity;
  readiness: Readiness;
  actions: ReadonlyMap<string, RunnableAction>;
  approvers: Approvers;
  confirmations: Confirmations;
  requestNotifications: RequestNotifications;
  closing: CardClosing;
  edits: EditOnApproval;
}) => {
  const { isExpired, isUnchanged, finishPreparing } = validity;
  const { prepareEdit, applyEdit, pinTime } = edits;
  const { settle, writeReceipt } = closing;

  /** Locks the card. Throws if it was decided already. */
  const lockUndecided = async (caller: Caller, id: string, decidable: readonly CardStatus[] = ['Open']) => {
    const row = await store.lock(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    // Read again: after waiting for the lock, the row has the new status, but not the name of who decided.
    if (!decidable.includes(row.status)) throw alreadyDecided((await store.get(caller.workspaceId, id)) ?? row);
    return row;
  };

  /** Throws unless the caller may decide. The action that is approved locks their membership. */
  const mustDecide = async (caller: Caller, row: CardRow) => {
    const { allowed, note = onlyApprovers } = decisionOf(caller, row, await approvers.list(caller));
    if (!allowed) throw new Refusal('Forbidden', note);
  };

  const prepare = async (caller: Caller, { id, edit, confirmation }: CardToCheck & { confirmation?: Assertion }) => {
    const row = await store.get(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    // Check before the lock too: if the rejection is undone in the meantime, the approval would run without its edit.
    if (row.status !== 'Open') throw alreadyDecided(row);
    const { becomes } = row.subject as Subject;
    if (becomes) await readiness.fitChange(caller, becomes);
    await finishPreparing(caller, id);
    // Use the edit that was prepared for the passkey confirmation; nothing else may be published.
    if (confirmation) return confirmations.editIn(caller, id, confirmation);
    return edit && prepareEdit(caller, row, edit);
  };

  const runApproved = async (caller: Caller, row: CardRow, edit: PreparedEdit | undefined) => {
    const action = findAction(actions, row.action);
    const agent = !row.isOwn && { isPerson: false, client: clientNamed(row.client) };
    const as: Caller = { ...caller, mayPublish: true, ...agent };
    const run = async (call: AdmittedCall) => (await runNow(action, call, new ApprovalRun())).value;
    if (edit === undefined) return { outcome: await run(action.admit(row.input, as)), contentHash: row.contentHash };
    // The edit applies to what the card shows. For a change of a scheduled post that is the changed post, so run the
    // change first.
    if ((row.subject as Subject).becomes) {
      const outcome = await run(action.admit(row.input, as));
      return { outcome, contentHash: await applyEdit(caller, row, edit) };
    }
    const isContent = (edit.versions ?? edit.accountIds ?? edit.alts) !== undefined;
    const contentHash = isContent ? await applyEdit(caller, row, edit) : await pinTime(caller, row, edit);
    const input = edit.scheduledAt === undefined ? row.input : { ...row.input, at: edit.scheduledAt };
    return { outcome: await run(action.admit(input, as)), contentHash };
  };

  /**
   * Runs the action as the approving person and closes the card, so that two clicks run it
   * once. Returns the hash of the approved content, or why the card was closed without running the action.
   */
  const approveLocked = async (
    caller: Caller,
    row: CardRow,
    { edit, confirmation: assertion, isRehearsal = false }: Yes,
  ): Promise<{ contentHash: Buffer } | { refusal: string }> => {
    await mustDecide(caller, row);
    const close = (status: 'Expired' | 'Outdated') => settle(caller, row, { status, contentHash: row.contentHash });
    if (isExpired(row)) {
      await close('Expired');
      return { refusal: 'This request is older than 7 days and has expired.' };
    }
    if (!(await isUnchanged(caller, row, filesToChange(row, edit)))) {
      await close('Outdated');
      return {
        refusal: 'The post or account was changed after the request. Check it again; the agent can send a new request.',
      };
    }
    if (row.isPreparing) throw stillPreparing();
    const run = await runApproved(caller, row, edit);
    const approved = { status: 'Approved' as const, isEdited: edit !== undefined, ...run };
    await settle(caller, row, approved);
    const { contentHash } = approved;
    // A rehearsal of many cards would hold the lock of the log while it locks what the next card needs.
    if (isRehearsal) return { contentHash };
    const confirmation = await confirmations.mustConfirm(caller, row.id, contentHash, assertion);
    await requestNotifications.countOpen(caller, row);
    await writeReceipt(caller, row, { ...approved, confirmation });
    return { contentHash };
  };

  return { lockUndecided, prepare, approveLocked };
};

const alreadyDecided = ({ status, decidedByName }: CardRow) => {
  const who = decidedByName === null ? '' : ` by ${decidedByName}`;
  return new Refusal('Conflict', `This request is already ${status}${who}. Load the page again.`);
};

const stillPreparing = () => {
  const message = 'Files of this post are still being prepared for a network. Approve it when they are ready.';
  return new Refusal('Invalid', message, [{ path: 'media', code: 'MediaFitting', message }]);
};
