import type { ApprovalEdit, CardStatus } from '#contracts/approvals';
import type { Version, VersionInput } from '#contracts/posts';
import type { ReceiptEntry } from '#contracts/receipts';
import type { AuditLog } from '#server/access/audit/audit-log';
import type { Receipts } from '#server/access/receipts/receipts';
import { type AdmittedCall, findAction, type RunnableAction, runNow } from '#server/agents/admission';
import { mustBeDone } from '#server/base/approval';
import type { Clock } from '#server/base/clock';
import { ApprovalRun, type Caller, clientNamed } from '#server/base/context';
import { badInput, notFound, Refusal } from '#server/base/errors';
import type { Live } from '#server/base/live/live';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import { toVersions } from '#server/writing/posts/versions';
import { type Approvers, decisionOf, isRequestOf, onlyApprovers } from './approvers.ts';
import type { CardRow, CardStore } from './card-store.ts';
import { type CardValidity, idOf } from './card-validity.ts';
import type { PreparedEdit } from './confirmation-store.ts';
import type { Assertion, Confirmations } from './confirmations.ts';
import type { RequestNotifications } from './request-notifications.ts';
import type { Subject, Subjects } from './subject.ts';

/** Slightly longer than the app offers Undo. */
const undoMs = 15_000;

/** How a card is closed. `contentHash` is the hash of what was decided; with an edit, that of the edited post. */
interface Decision {
  readonly status: Exclude<CardStatus, 'Open'>;
  readonly contentHash: Buffer;
  readonly reason?: string | undefined;
  readonly isEdited?: boolean;
  readonly outcome?: unknown;
}

/** How a person approves one card. */
interface Yes {
  readonly edit?: PreparedEdit | undefined;
  readonly confirmation?: Assertion | undefined;
  readonly isRehearsal?: boolean;
}

interface CardToCheck {
  readonly id: string;
  readonly edit?: ApprovalEdit | undefined;
}

type CheckResult = {
  id: string;
  error?: Refusal['body'];
  sameMinute: { id: string; text: string }[];
};

export type Decisions = ReturnType<typeof createDecisions>;

/**
 * Approvals and rejections by people. Every decision calls `settle` in the transaction that runs the approved action.
 */
export const createDecisions = ({
  store,
  validity,
  subjects,
  reading,
  readiness,
  actions,
  audit,
  requestNotifications,
  receipts,
  live,
  approvers,
  confirmations,
  clock,
}: {
  store: CardStore;
  validity: CardValidity;
  subjects: Subjects;
  reading: Reading;
  readiness: Readiness;
  actions: ReadonlyMap<string, RunnableAction>;
  audit: AuditLog;
  requestNotifications: RequestNotifications;
  receipts: Receipts;
  live: Live;
  approvers: Approvers;
  confirmations: Confirmations;
  clock: Clock;
}) => {
  const { subjectOf, isExpired, closeOpen, isUnchanged, finishPreparing } = validity;

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

  const settle = async (caller: Caller, row: CardRow, { status, reason, isEdited, outcome }: Decision) => {
    const { workspaceId, userId } = caller;
    await store.close(workspaceId, row.id, { status, at: clock.now(), by: userId, reason, outcome });
    await requestNotifications.markDecided(caller, row);
    if (status === 'Approved' || status === 'Rejected') {
      await requestNotifications.tellDecided(caller, row, { status, reason, isEdited });
    }
    await audit.write({
      event: `approval.${status.toLowerCase()}`,
      workspaceId,
      userId,
      ...(!row.isOwn && { client: row.client }),
      details: { cardId: row.id, action: row.action, input: row.input, ...(reason && { reason }) },
    });
    await live.publish({ workspaceId, kind: 'approval', id: row.id });
  };

  /** Called last: it locks the log, and other decisions of the workspace wait for that lock. */
  const writeReceipt = async (
    caller: Caller,
    row: CardRow,
    {
      status,
      contentHash,
      confirmation,
    }: {
      status: 'Approved' | 'Rejected' | 'Reopened';
      contentHash: Buffer;
      confirmation?: ReceiptEntry['confirmation'];
    },
  ) => {
    const { post, becomes } = row.subject as Subject;
    const canPublish = status === 'Approved' && post !== undefined && !actions.get(row.action)?.action.destructive;
    const decided = canPublish ? await reading.get(caller, idOf(row)) : (becomes ?? post);
    await receipts.recordDecision(caller, {
      cardId: row.id,
      action: row.action,
      decision: status,
      requestedBy: row.requestedBy,
      client: row.isOwn ? 'app' : row.client,
      input: row.input,
      contentHash,
      confirmation,
      post: decided,
      canPublish,
    });
    // If no account is left to send to, the post ends while the action runs, before its approval is recorded.
    if (canPublish && decided && (decided.status === 'Published' || decided.status === 'Failed')) {
      await receipts.recordOutcomes([{ workspaceId: caller.workspaceId, post: decided }]);
    }
  };

  /** The input of posts.update that applies an edit to the post as it is now. */
  const updateInput = async (caller: Caller, postId: string, edit: PreparedEdit) => {
    const post = await reading.get(caller, postId);
    const { versions = post.versions, accountIds = post.accountIds, scheduledAt } = edit;
    return {
      id: postId,
      accountIds,
      versions: versions.filter(({ accountId }) => !accountId || accountIds.includes(accountId)),
      // An empty value keeps the time of a scheduled post. A draft keeps its suggested time.
      scheduledAt: (post.status === 'Scheduled' ? scheduledAt : post.scheduledAt) ?? '',
    };
  };

  const admitUpdate = async (caller: Caller, postId: string, edit: PreparedEdit) => {
    const update = findAction(actions, 'posts.update');
    return { update, call: update.admit(await updateInput(caller, postId, edit), caller) };
  };

  /** Also returns the previous alt texts, for the description of the edit. */
  const setAlts = async (caller: Caller, { media = [] }: Subject, alts: PreparedEdit['alts'] = []) => {
    const change = findAction(actions, 'changeMedia');
    for (const { mediaId: id, alt } of alts) await runNow(change, change.admit({ id, alt }, caller), new ApprovalRun());
    const altOf = (id: string) => media.find((one) => one.id === id)?.alt ?? '';
    return alts.map(({ mediaId, alt }) => ({ mediaId, before: altOf(mediaId), alt }));
  };

  const prepareEdit = async (caller: Caller, row: CardRow, edit: ApprovalEdit): Promise<PreparedEdit> => {
    mustBeEditable(row, actions.get(row.action), edit);
    const { versions, accountIds, alts, scheduledAt } = edit;
    const accounts = accountIds && { accountIds: [...new Set(accountIds)] };
    if (versions === undefined) return { scheduledAt, alts, ...accounts };
    const { update, call } = await admitUpdate(caller, idOf(row), { versions, ...accounts });
    const prepared = mustBeDone(await update.prepare(call)).input as { versions: VersionInput[]; accountIds: string[] };
    const content = {
      id: idOf(row),
      accountIds: prepared.accountIds,
      versions: toVersions(prepared.versions, prepared.accountIds) satisfies Version[],
    };
    await readiness.makeReady(caller, content);
    return { versions: prepared.versions, scheduledAt, alts, ...accounts };
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

  /** Edits the post on behalf of the person, and pins the card to the edited post. */
  const applyEdit = async (caller: Caller, row: CardRow, edit: PreparedEdit): Promise<Buffer> => {
    const subject = row.subject as Subject;
    const editedAlts = await setAlts(caller, subject, edit.alts);
    if (edit.versions ?? edit.accountIds ?? (subject.becomes && edit.scheduledAt)) {
      const { update, call } = await admitUpdate(caller, idOf(row), edit);
      await runNow(update, call, new ApprovalRun());
    }
    const { post, media = [], fitted } = await subjects.find(caller, 'post', idOf(row));
    const pin = (await subjects.pins(caller, 'post', [idOf(row)])).get(idOf(row));
    if (post === undefined || pin === undefined) throw new Error('the edited post of a card is gone');
    const others = (subject.media ?? []).filter(({ id }) => media.every((one) => one.id !== id));
    // The approved action sets the time of a draft next.
    const edited = edit.scheduledAt && post.status !== 'Scheduled' ? { ...post, scheduledAt: edit.scheduledAt } : post;
    const shown: Subject = {
      ...subject,
      edited,
      ...(editedAlts.length > 0 && { editedAlts }),
      media: [...media, ...others],
      ...(fitted && { fitted }),
    };
    await store.setContent(caller.workspaceId, row.id, shown, pin.ready);
    return pin.ready;
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

  /** For an edit of only the time. The time is not part of a draft's content, so the hash stays. */
  const pinTime = async (caller: Caller, row: CardRow, { scheduledAt }: PreparedEdit) => {
    const { post, ...subject } = row.subject as Subject;
    if (post === undefined) throw new Error('a card with a time has no post');
    const edited = { ...post, ...(scheduledAt && { scheduledAt }) };
    await store.setContent(caller.workspaceId, row.id, { post, ...subject, edited }, row.contentHash);
    return row.contentHash;
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

  /** Approves these cards one after the other, then rolls everything back. */
  async function rehearse(caller: Caller, cards: readonly CardToCheck[]) {
    const inOrder = [...new Map(cards.map((card) => [card.id, card])).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const errors = new Map<string, Refusal>();
    const refuse = (id: string, error: unknown) => {
      if (!(error instanceof Refusal) || error.code === 'Internal') throw error;
      errors.set(id, error);
    };
    const edits = new Map<string, PreparedEdit | undefined>();
    for (const card of inOrder) {
      await prepare(caller, card).then(
        (prepared) => edits.set(card.id, prepared),
        (error) => refuse(card.id, error),
      );
    }
    const contents = new Map<string, string>();
    const posts = new Map<string, string>();
    let clashes: Awaited<ReturnType<Reading['sameMinute']>> = [];
    await store.rehearse(async () => {
      const rows = await lockAll(
        caller,
        inOrder.filter(({ id }) => !errors.has(id)),
        edits,
        refuse,
      );
      for (const row of rows) {
        const run = () => approveLocked(caller, row, { edit: edits.get(row.id), isRehearsal: true });
        const result = await store.attempt(run).catch((error) => refuse(row.id, error));
        if (result && 'refusal' in result) refuse(row.id, new Refusal('Conflict', result.refusal));
        else if (result) contents.set(row.id, result.contentHash.toString('hex'));
        if (!errors.has(row.id) && subjectOf(row.action) === 'post') posts.set(row.id, idOf(row));
      }
      clashes = await reading.sameMinute(caller, [...posts.values()]);
    });
    return { inOrder, errors, edits, contents, posts, clashes };
  }

  /**
   * Locks all cards, then all posts, before the first action runs and locks the plan. Everybody who decides or
   * schedules takes these locks in this order, so locking card by card could deadlock.
   */
  async function lockAll(
    caller: Caller,
    cards: readonly CardToCheck[],
    edits: ReadonlyMap<string, PreparedEdit | undefined>,
    refuse: (id: string, error: unknown) => void,
  ): Promise<CardRow[]> {
    const rows: CardRow[] = [];
    for (const { id } of cards) {
      await lockUndecided(caller, id).then(
        (row) => rows.push(row),
        (error) => refuse(id, error),
      );
    }
    for (const row of rows) await isUnchanged(caller, row, filesToChange(row, edits.get(row.id)));
    return rows;
  }
};

/**
 * If the edit changes an alt text, returns all files of the request, so that one statement locks them in a fixed order.
 */
const filesToChange = ({ subject }: CardRow, edit: PreparedEdit | undefined) =>
  edit?.alts?.length ? ((subject as Subject).media ?? []).map(({ id }) => id) : [];

/** Refuses an edit where nothing can be edited, such as a deletion, and a new time for a request without a time. */
const mustBeEditable = (
  row: CardRow,
  action: RunnableAction | undefined,
  { accountIds, alts = [], scheduledAt }: ApprovalEdit,
) => {
  const { post, becomes, media = [] } = row.subject as Subject;
  if (post === undefined || action?.action.destructive) {
    const message = 'must be left out: there is nothing to edit in a deletion. Approve or reject it';
    throw badInput({ path: 'edit', code: 'Invalid', message });
  }
  if (post.status === 'Publishing' || becomes?.status === 'Publishing') {
    const message = 'must be left out: it goes out as it was approved. Approve or reject it';
    throw badInput({ path: 'edit', code: 'Invalid', message });
  }
  const requestAccounts = (becomes ?? post).accountIds;
  if (accountIds?.some((id) => !requestAccounts.includes(id))) {
    const message = 'must be accounts of this request. Add others in the editor';
    throw badInput({ path: 'edit.accountIds', code: 'Invalid', message });
  }
  const other = alts.findIndex(({ mediaId }) => media.every(({ id }) => id !== mediaId));
  if (other >= 0) {
    const message = 'must be a file of this request';
    throw badInput({ path: `edit.alts.${other}.mediaId`, code: 'Invalid', message });
  }
  if (scheduledAt !== undefined && !('at' in row.input) && becomes?.status !== 'Scheduled') {
    const message = 'must be left out: this request has no time';
    throw badInput({ path: 'edit.scheduledAt', code: 'Invalid', message });
  }
};

const alreadyDecided = ({ status, decidedByName }: CardRow) => {
  const who = decidedByName === null ? '' : ` by ${decidedByName}`;
  return new Refusal('Conflict', `This request is already ${status}${who}. Load the page again.`);
};

const tooLateToReopen = () =>
  new Refusal(
    'Conflict',
    'This rejection stays: too much time has passed, or something changed since. The client can ask again.',
  );

const stillPreparing = () => {
  const message = 'Files of this post are still being prepared for a network. Approve it when they are ready.';
  return new Refusal('Invalid', message, [{ path: 'media', code: 'MediaFitting', message }]);
};
