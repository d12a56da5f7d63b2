import { isDeepStrictEqual } from 'node:util';
import type { ApprovalCard, CardStatus } from '#contracts/approvals';
import { dayMs } from '#contracts/time';
import type { AuditLog } from '#server/access/audit/audit-log';
import { type AdmittedCall, findAction, type RunnableAction, runNow } from '#server/agents/admission';
import { mustBeDone } from '#server/base/approval';
import { bounds } from '#server/base/bounds';
import type { Clock } from '#server/base/clock';
import { ApprovalRun, type Caller } from '#server/base/context';
import { notFound, Refusal } from '#server/base/errors';
import { newId } from '#server/base/ids';
import type { Live } from '#server/base/live/live';
import { sha256 } from '#server/base/sha256';
import { fromCursor, toCursor } from '#server/base/store/page';
import type { Accounts } from '#server/connecting/accounts/accounts';
import type { Readiness } from '#server/writing/posts/readiness';
import type { Reading } from '#server/writing/posts/reading';
import { type Approvers, decisionOf } from './approvers.ts';
import type { CardRow, CardStore } from './card-store.ts';
import { type CardValidity, draftOf, holds, idOf } from './card-validity.ts';
import type { CardView, RequestState } from './card-view.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { RequestNotifications } from './request-notifications.ts';
import type { Pin, Subject, Subjects } from './subject.ts';

const openMs = 7 * dayMs;
const deletionMs = 30 * dayMs;
/** Counted from closing. Notifications link to cards and are kept for the same time. */
const retentionMs = 90 * dayMs;
/** Per post, kept as long as the post exists. */
const maxDecisions = 50;
const pageLength = 50;
const maxScheduledPosts = 100;
/** The payload of a PostgreSQL notification is limited to 8,000 bytes. */
const maxToastCharacters = 300;

export interface ApprovalRequest {
  readonly caller: Caller;
  /** Name of the agent. Absent: the person asked in the app. */
  readonly client?: string;
  readonly action: string;
  readonly input: Record<string, unknown>;
  readonly requestId?: string | undefined;
}

export interface RequestedApproval extends RequestState {
  /** The same request is already waiting for a decision. */
  readonly again: boolean;
  /** The previous request for the same action and subject. */
  readonly before?: RequestState;
}

export type ApprovalCards = ReturnType<typeof createApprovalCards>;

/**
 * Creates and lists approval requests. Agents, and people who may not publish, create them; everybody reads them.
 * `createDecisions` decides them.
 */
export const createApprovalCards = ({
  store,
  conversationStore,
  validity,
  subjects,
  reading,
  accounts,
  readiness,
  actions,
  audit,
  view,
  requestNotifications,
  live,
  approvers,
  baseUrl,
  clock,
}: {
  store: CardStore;
  conversationStore: ConversationStore;
  validity: CardValidity;
  subjects: Subjects;
  reading: Reading;
  accounts: Accounts;
  readiness: Readiness;
  actions: ReadonlyMap<string, RunnableAction>;
  audit: AuditLog;
  view: CardView;
  requestNotifications: RequestNotifications;
  live: Live;
  approvers: Approvers;
  baseUrl: string;
  clock: Clock;
}) => {
  const { show, toState } = view;
  const { subjectOf, isExpired, closeStale, isPreparing, finishPreparing } = validity;

  const readAccounts = async (caller: Caller) => new Map((await accounts.list(caller)).map((one) => [one.id, one]));

  /** Includes the validation. Lists leave it out, because validating a hundred long posts would take too long. */
  const get = async (caller: Caller, id: string): Promise<ApprovalCard> => {
    await finishPreparing(caller, id);
    let row = await store.get(caller.workspaceId, id);
    if (row !== undefined && (await closeStale(caller, [row]))) row = await store.get(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    const card = withDecision(caller, row, show(row, await readAccounts(caller)), await approvers.list(caller));
    const { account } = card;
    // A scheduled post keeps the fitted images it was approved with. A change is fitted again, like a draft.
    const validated = draftOf(card);
    return {
      ...card,
      ...(validated && { validation: await readiness.findings(caller, validated) }),
      ...(await changedPost(caller, card)),
      ...(account && { scheduledPosts: await reading.scheduledFor(caller, account.id, maxScheduledPosts) }),
    };
  };

  /** The post as it is now, if the card is outdated, so that a person can see what changed. */
  const changedPost = async (caller: Caller, { status, post }: ApprovalCard) => {
    if (status !== 'Outdated' || post === undefined) return {};
    const [now] = await reading.many(caller, [post.id]);
    return now === undefined || now.updatedAt === post.updatedAt ? {} : { changedPost: now };
  };

  /** Adds whether this reader may approve the card. */
  const withDecision = (
    caller: Caller,
    row: CardRow,
    card: ApprovalCard,
    all: Awaited<ReturnType<Approvers['list']>>,
  ): ApprovalCard => (row.status === 'Open' ? { ...card, decision: decisionOf(caller, row, all) } : card);

  /**
   * Runs the action and rolls it back, so that a request that must fail is refused now instead of becoming a card.
   * Returns the subject that the card shows, which for a scheduled post includes the post after the change.
   */
  const rehearse = async (
    action: RunnableAction,
    call: AdmittedCall,
    subject: Subject,
    approval = new ApprovalRun(),
  ) => {
    const { input, caller } = call;
    const after: Subject[] = [];
    await store.rehearse(async () => {
      await runNow(action, call, approval);
      if (isChange(action, subject)) after.push(await subjects.find(caller, 'post', idOf({ input })));
    });
    return after.reduce(withChange, subject);
  };

  /** A scheduled post that the action does not change keeps the files that were approved. */
  const makeReady = async (action: RunnableAction, call: AdmittedCall) => {
    const { caller, input } = call;
    const post = await reading.get(caller, idOf({ input }));
    const { becomes } = isChange(action, { post })
      ? await rehearse(action, call, { post }, new ApprovalRun({ isBeforeFitting: true }))
      : {};
    if (becomes) await readiness.fitChange(caller, becomes);
    else if (post.status !== 'Scheduled') await readiness.makeReady(caller, post);
  };

  const mustHaveRoom = async ({ workspaceId }: Caller) => {
    if ((await store.countOpen(workspaceId)) < bounds.openCards) return;
    throw new Refusal(
      'TooManyRequests',
      `${bounds.openCards} requests of this workspace wait for a human already. Ask the user to decide some of them at ${baseUrl}/approvals, then try again.`,
    );
  };

  const createCard = async (
    { caller, client, action, input, requestId }: ApprovalRequest,
    subject: Subject,
    pin: Pin,
  ) => {
    const { workspaceId, userId } = caller;
    const now = clock.now();
    const id = newId('card', now);
    const isOwn = client === undefined;
    await store.insert({
      id,
      conversationId: await conversationStore.conversation(
        newId('conversation', now),
        workspaceId,
        client ?? conversationOf(userId),
        now,
      ),
      workspaceId,
      requestedBy: userId,
      isOwn,
      action,
      input,
      // A unique index allows one open card per person, action and subject.
      requestHash: sha256(`${action} ${idOf({ input })}`),
      subject,
      contentHash: subject.isPreparing ? pin.preparing : pin.ready,
      createdAt: now,
      expiresAt: new Date(now.getTime() + openMs),
    });
    const details = { cardId: id, action, input };
    await audit.write({ event: 'approval.requested', workspaceId, userId, client, requestId, details });
    const row = await store.get(workspaceId, id);
    if (row === undefined) throw new Error('a card that was just made is gone');
    await requestNotifications.tellRequested(caller, row);
    const { sentence, client: asker } = show(row, await readAccounts(caller));
    const text = `${asker} asks: ${sentence}`;
    await live.publish({ workspaceId, kind: 'approval', id, text: text.slice(0, maxToastCharacters) });
    return row;
  };

  return {
    /**
     * Repeating a request while its card is open returns the same card. A different input or a changed post creates a
     * new card and outdates the old one, so that a card never changes under the eyes of the person who approves it.
     */
    request: async (request: ApprovalRequest): Promise<RequestedApproval> => {
      const { caller } = request;
      const { workspaceId } = caller;
      const action = findAction(actions, request.action);
      // `prepare` puts all files into the library first, so that the person sees the exact bytes that will be
      // published.
      const asPublisher = { ...caller, mayPublish: true, rehearses: true } as const;
      const call = mustBeDone(await action.prepare(action.admit(request.input, asPublisher)));
      const { input } = call;
      const kind = subjectOf(action.name);
      if (kind === undefined) throw new Error(`${action.name} has no card: declare approval in its contract`);
      if (kind === 'post') await makeReady(action, call);
      if ((await store.countOpen(workspaceId)) >= bounds.openCards)
        await closeStale(caller, await store.open(workspaceId));
      return store.transaction(async () => {
        await store.lockRequests(workspaceId);
        // Locks cards before posts, as approving does: two transactions that lock in a different order deadlock.
        const open = await store.lockOpen(workspaceId, caller.userId, action.name, idOf({ input }));
        const current = await subjects.find(caller, kind, idOf({ input }));
        const outcome = await rehearse(action, call, current, new ApprovalRun({ isBeforeFitting: true }));
        const isIncomplete = kind === 'post' && !isRemoval(action) && (await isPreparing(caller, outcome));
        const subject: Subject = { ...outcome, ...(isIncomplete && { isPreparing: true as const }) };
        if (subject.post) await readiness.keepFits(caller, subject.post);
        const pin = (await subjects.pins(caller, kind, [idOf({ input })])).get(idOf({ input }));
        if (pin === undefined) throw new Error('the locked subject of a card is gone');
        const isSameRequest = (card: CardRow) =>
          !isExpired(card) &&
          card.isOwn === (request.client === undefined) &&
          holds(card, pin) &&
          isDeepStrictEqual(card.input, input);
        const card = open.find(isSameRequest);
        const accountsById = await readAccounts(caller);
        if (card) return { ...toState(card, accountsById), again: true };
        for (const card of open) {
          const status = isExpired(card) ? 'Expired' : 'Outdated';
          await store.close(workspaceId, card.id, { status, at: clock.now() });
        }
        const before = (await store.about(workspaceId, idOf({ input }))).find((card) => card.action === action.name);
        await mustHaveRoom(caller);
        const row = await createCard({ ...request, input }, subject, pin);
        const state = toState(row, accountsById);
        return { ...state, again: false, ...(before && { before: toState(before, accountsById) }) };
      });
    },

    /** The approved request that deleted a post, for 30 days, and only for the person who asked or whose agent did. */
    deletionOf: async (caller: Caller, postId: string): Promise<RequestState | undefined> => {
      const sinceMs = clock.now().getTime() - deletionMs;
      const card = (await store.about(caller.workspaceId, postId)).find(
        ({ action, status, requestedBy, decidedAt }) =>
          actions.get(action)?.action.destructive === true &&
          status === 'Approved' &&
          requestedBy === caller.userId &&
          Date.parse(decidedAt ?? '') > sinceMs,
      );
      return card && toState(card, await readAccounts(caller));
    },

    /** The last request of each action about this post or account. */
    about: async (caller: Caller, subjectId: string): Promise<RequestState[]> => {
      const rows = await store.about(caller.workspaceId, subjectId);
      const changed = await closeStale(caller, rows);
      if (rows.length === 0) return [];
      const accountsById = await readAccounts(caller);
      const current = changed ? await store.about(caller.workspaceId, subjectId) : rows;
      return current.map((row) => toState(row, accountsById));
    },

    list: async (
      caller: Caller,
      { status, cursor }: { status?: CardStatus | undefined; cursor?: string | undefined },
    ) => {
      const openCards = await store.open(caller.workspaceId);
      for (const card of openCards.filter((one) => one.isPreparing)) await finishPreparing(caller, card.id);
      await closeStale(
        caller,
        openCards.some((one) => one.isPreparing) ? await store.open(caller.workspaceId) : openCards,
      );
      const after = positionFrom(cursor);
      const limits = { limit: pageLength + 1, bytes: bounds.pageBytes };
      const rows = await store.page(caller.workspaceId, status, after, limits);
      const page = rows.slice(0, pageLength);
      const last = page.at(-1);
      const accountsById = await readAccounts(caller);
      const all = await approvers.list(caller);
      return {
        cards: page.map((row) => withDecision(caller, row, show(row, accountsById), all)),
        ...(last && last.total > page.length && { nextCursor: toPosition(last) }),
      };
    },

    get,

    /** Closes cards that nobody decided in time. */
    expire: () => store.expire(clock.now()),

    remind: requestNotifications.remind,

    /** The audit log keeps requests and decisions for longer. */
    purge: async () => {
      const purged = await store.purge(new Date(clock.now().getTime() - retentionMs), maxDecisions);
      for (const workspaceId of await conversationStore.haveEmptyConversations()) {
        await store.transaction(async () => {
          await store.lockRequests(workspaceId);
          await conversationStore.removeEmptyConversations(workspaceId);
        });
      }
      return purged;
    },
  };
};

/** An MCP client cannot have this name, because control characters are removed from the names of clients. */
const conversationOf = (userId: string) => `\u0001${userId}`;

/** Whether the action changes a scheduled post that stays scheduled. */
const isChange = ({ action }: RunnableAction, { post }: Pick<Subject, 'post'>) =>
  post?.status === 'Scheduled' && action.destructive !== true;

/** A deletion sends no files, so it waits for none. */
const isRemoval = ({ action }: RunnableAction) => action.destructive === true;

const withChange = (
  { media: before = [], ...subject }: Subject,
  { post, media = [], fitted = [] }: Subject,
): Subject => ({
  ...subject,
  ...(post && { becomes: post }),
  media: [...media, ...before.filter(({ id }) => media.every((one) => one.id !== id))],
  fitted,
});

/** Open cards come first in the list, so the position says whether the page ended among them. */
const toPosition = ({ id, status }: CardRow) => toCursor(status === 'Open' ? id.replace('card_', 'open_') : id);

const positionFrom = (cursor: string | undefined) => {
  const place = fromCursor(cursor);
  return place === null ? undefined : { id: place.replace('open_', 'card_'), open: place.startsWith('open_') };
};
