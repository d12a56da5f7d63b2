import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { ApprovalCard, CardStatus } from '#contracts/approvals';
import type { Post } from '#contracts/posts';
import type { Accounts } from '#server/accounts/accounts';
import { type AdmittedCall, findAction, type RunnableAction } from '#server/admission';
import type { AuditLog } from '#server/audit/audit-log';
import { bounds } from '#server/bounds';
import type { Clock } from '#server/clock';
import { type ApprovalRun, type Caller, clientNamed } from '#server/context';
import { notFound, Refusal } from '#server/errors';
import { newId } from '#server/ids';
import type { Live } from '#server/live/open-tabs';
import type { Notifications } from '#server/notifications/notifications';
import type { Lifecycle } from '#server/posts/lifecycle';
import type { LinkCards } from '#server/posts/link-cards';
import type { Reading } from '#server/posts/reading';
import { fromCursor, toCursor } from '#server/store/page';
import { createCardView, type RequestState } from './card-view.ts';
import type { ApprovalStore, CardRow, OpenCard } from './store.ts';
import type { Pin, Subject, Subjects } from './subject.ts';

const dayMs = 24 * 60 * 60 * 1000;
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
  readonly client: string;
  readonly action: string;
  readonly input: Record<string, unknown>;
  readonly requestId: string;
}

export interface RequestedApproval extends RequestState {
  /** The same request is already waiting for a decision. */
  readonly again: boolean;
  /** The previous request for the same action and subject. */
  readonly before?: RequestState;
}

export type ApprovalCards = ReturnType<typeof createApprovalCards>;

/** Agents request, a human decides. Only the routes of the app call approve and reject. */
export const createApprovalCards = ({
  store,
  subjects,
  reading,
  accounts,
  lifecycle,
  linkCards,
  actions,
  audit,
  notifications,
  live,
  baseUrl,
  clock,
}: {
  store: ApprovalStore;
  subjects: Subjects;
  reading: Reading;
  accounts: Accounts;
  lifecycle: Lifecycle;
  linkCards: LinkCards;
  actions: ReadonlyMap<string, RunnableAction>;
  audit: AuditLog;
  notifications: Notifications;
  live: Live;
  baseUrl: string;
  clock: Clock;
}) => {
  const { show, toState } = createCardView({ actions, baseUrl });
  const kindOf = (action: string) => actions.get(action)?.action.approval?.subject;
  const isExpired = ({ expires_at }: OpenCard) => new Date(expires_at) <= clock.now();

  const readAccounts = async (caller: Caller) => new Map((await accounts.list(caller)).map((one) => [one.id, one]));

  const idOf = ({ input }: Pick<OpenCard, 'input'>) => String(input.id);

  const closeOpen = async ({ workspaceId }: Caller, cards: readonly Pick<OpenCard, 'id'>[], status: CardStatus) => {
    if (cards.length === 0) return;
    const ids = cards.map(({ id }) => id);
    const closed = await store.closeOpen(workspaceId, ids, status, clock.now());
    await live.publish(...closed.map((id) => ({ workspaceId, kind: 'approval' as const, id })));
  };

  /** Closes the cards that can no longer be approved: they expired, or their subject changed. */
  const closeStale = async (caller: Caller, cards: readonly OpenCard[]) => {
    const open = cards.filter(({ status }) => status === 'Open');
    const expired = open.filter(isExpired);
    const outdated: OpenCard[] = [];
    for (const kind of ['post', 'account'] as const) {
      const about = open.filter((card) => !isExpired(card) && kindOf(card.action) === kind);
      if (about.length === 0) continue;
      const pins = await subjects.pins(caller, kind, about.map(idOf));
      outdated.push(...about.filter((card) => !holds(card, pins.get(idOf(card)))));
    }
    await closeOpen(caller, expired, 'Expired');
    await closeOpen(caller, outdated, 'Outdated');
    // True even if another reader closed them first, because the rows that the caller has read are stale then too.
    return expired.length + outdated.length > 0;
  };

  /** With the validation, which lists leave out, because validating a hundred long posts would take too long. */
  const get = async (caller: Caller, id: string): Promise<ApprovalCard> => {
    await finishPreparing(caller, id);
    let row = await store.get(caller.workspaceId, id);
    if (row !== undefined && (await closeStale(caller, [row]))) row = await store.get(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    const card = show(row, await readAccounts(caller));
    const { account } = card;
    // A scheduled post keeps the fitted images it was approved with. A change is fitted again, like a draft.
    const validated = draftOf(card);
    return {
      ...card,
      ...(validated && { validation: await lifecycle.findings(caller, validated) }),
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

  /** Locks the card. Throws if it was decided already. */
  const lockUndecided = async (caller: Caller, id: string, decidable: readonly CardStatus[] = ['Open']) => {
    const row = await store.lock(caller.workspaceId, id);
    if (row === undefined) throw notFound('approval card', id);
    if (!decidable.includes(row.status))
      throw new Refusal('Conflict', `This request is already ${row.status}. Load the page again.`);
    return row;
  };

  const settle = async (caller: Caller, row: CardRow, status: CardStatus, outcome?: unknown) => {
    await store.close(caller.workspaceId, row.id, status, clock.now(), caller.userId, outcome);
    await notifications.seen(caller, row.id);
    await audit.write({
      event: `approval.${status.toLowerCase()}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      client: row.client,
      details: { cardId: row.id, action: row.action, input: row.input },
    });
    await live.publish({ workspaceId: caller.workspaceId, kind: 'approval', id: row.id });
  };

  /** Whether the subject still has the content that the card shows. Locks it until the transaction ends. */
  const isUnchanged = async (caller: Caller, row: CardRow) => {
    const kind = kindOf(row.action);
    if (kind === undefined) return false;
    await subjects.find(caller, kind, idOf(row)).catch(unlessNotFound);
    return holds(row, (await subjects.pins(caller, kind, [idOf(row)])).get(idOf(row)));
  };

  /**
   * Runs the action and rolls it back, so that a request that must fail is refused now instead of becoming a card.
   * Returns the subject that the card shows, which for a scheduled post includes the post after the change.
   */
  const rehearse = async (action: RunnableAction, call: AdmittedCall, subject: Subject, approval: ApprovalRun = {}) => {
    const { input, caller } = call;
    const after: Subject[] = [];
    await store.rehearse(async () => {
      await action.run(call, approval);
      if (isChange(action, subject)) after.push(await subjects.find(caller, 'post', idOf({ input })));
    });
    return after.reduce(withChange, subject);
  };

  /**
   * Files that were being prepared at the request may be ready: then the card shows them, and from now on is for them. Nobody
   * can have approved it before.
   */
  const finishPreparing = async (caller: Caller, id: string) => {
    const card = await store.get(caller.workspaceId, id);
    if (card?.status !== 'Open' || !card.is_preparing || (await isPreparing(caller, card.subject as Subject))) return;
    await store.transaction(async () => {
      const row = await store.lock(caller.workspaceId, id);
      if (row?.status !== 'Open' || !row.is_preparing || !(await isUnchanged(caller, row))) return;
      const { isPreparing: _, ...subject } = row.subject as Subject;
      if (await isPreparing(caller, subject)) return;
      if (subject.post) await lifecycle.keepFits(caller, subject.post);
      const fitted = await subjects.fitted(caller, draftOf(subject), subject.media ?? []);
      const pin = (await subjects.pins(caller, 'post', [idOf(row)])).get(idOf(row));
      if (pin) await store.setReady(caller.workspaceId, id, { ...subject, fitted }, pin.ready);
    });
  };

  const isPreparing = async (caller: Caller, subject: Pick<Subject, 'post' | 'becomes'>) => {
    const draft = draftOf(subject);
    return draft !== undefined && lifecycle.isPreparing(caller, draft);
  };

  /** Runs before the transaction, because fetching linked pages and fitting images takes long. */
  const prefetch = async (action: RunnableAction, call: AdmittedCall) => {
    const { caller, input } = call;
    const post = await reading.get(caller, idOf({ input }));
    await linkCards.keep(caller, post);
    const { becomes } = isChange(action, { post })
      ? await rehearse(action, call, { post }, { isBeforeFitting: true })
      : {};
    await fitFor(caller, { post, ...(becomes && { becomes }) });
  };

  /** A changed post is fitted again, like a draft. */
  const fitFor = async (caller: Caller, { post, becomes }: Pick<Subject, 'post' | 'becomes'>) => {
    const draft = draftOf({ post, becomes });
    if (draft) await lifecycle.fitPictures(caller, draft);
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
    await store.insert({
      id,
      conversationId: await store.conversation(newId('conversation', now), workspaceId, client, now),
      workspaceId,
      requestedBy: userId,
      action,
      input,
      // A unique index allows one open card per person, action and subject.
      requestHash: createHash('sha256')
        .update(`${action} ${idOf({ input })}`)
        .digest(),
      subject,
      contentHash: subject.isPreparing ? pin.preparing : pin.ready,
      createdAt: now,
      expiresAt: new Date(now.getTime() + openMs),
    });
    const details = { cardId: id, action, input };
    await audit.write({ event: 'approval.requested', workspaceId, userId, client, requestId, details });
    const row = await store.get(workspaceId, id);
    if (row === undefined) throw new Error('a card that was just made is gone');
    const { sentence, post } = show(row, await readAccounts(caller));
    await notifications.tell([
      {
        workspaceId,
        kind: 'approval.requested',
        subjectId: id,
        title: `${client} asks to ${verbOf(sentence)} ${post ? 'a post' : 'an account'}`,
        detail: sentence,
        text: post?.versions[0]?.content[0]?.body,
        path: `/approvals/${id}`,
      },
    ]);
    const text = `${client} asks: ${sentence}`;
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
      // A card is for files that are in the library, so that the person sees the bytes that go out.
      const call = await action.prepare(action.admit(request.input, { ...caller, human: true }));
      const { input } = call;
      const kind = kindOf(action.name);
      if (kind === undefined) throw new Error(`${action.name} has no card: declare approval in its contract`);
      if (kind === 'post') await prefetch(action, call);
      if ((await store.countOpen(workspaceId)) >= bounds.openCards)
        await closeStale(caller, await store.open(workspaceId));
      return store.transaction(async () => {
        await store.lockRequests(workspaceId);
        // Locks cards before posts, as approving does: two transactions that lock in a different order deadlock.
        const open = await store.lockOpen(workspaceId, caller.userId, action.name, idOf({ input }));
        const current = await subjects.find(caller, kind, idOf({ input }));
        const outcome = await rehearse(action, call, current, { isBeforeFitting: true });
        const isIncomplete = kind === 'post' && !isRemoval(action) && (await isPreparing(caller, outcome));
        const subject: Subject = { ...outcome, ...(isIncomplete && { isPreparing: true as const }) };
        if (subject.post) await lifecycle.keepFits(caller, subject.post);
        const pin = (await subjects.pins(caller, kind, [idOf({ input })])).get(idOf({ input }));
        if (pin === undefined) throw new Error('the locked subject of a card is gone');
        const isSameRequest = (card: CardRow) =>
          !isExpired(card) && holds(card, pin) && isDeepStrictEqual(card.input, input);
        const card = open.find(isSameRequest);
        if (card) return { ...toState(card), again: true };
        for (const card of open) {
          await store.close(workspaceId, card.id, isExpired(card) ? 'Expired' : 'Outdated', clock.now());
        }
        const before = (await store.about(workspaceId, idOf({ input }))).find((card) => card.action === action.name);
        await mustHaveRoom(caller);
        const row = await createCard({ ...request, input }, subject, pin);
        return { ...toState(row), again: false, ...(before && { before: toState(before) }) };
      });
    },

    /** The approved request by which a post was deleted, for 30 days, to the person whose agent asked. */
    deletionOf: async (caller: Caller, postId: string): Promise<RequestState | undefined> => {
      const sinceMs = clock.now().getTime() - deletionMs;
      const card = (await store.about(caller.workspaceId, postId)).find(
        ({ action, status, requested_by, decided_at }) =>
          actions.get(action)?.action.destructive === true &&
          status === 'Approved' &&
          requested_by === caller.userId &&
          Date.parse(decided_at ?? '') > sinceMs,
      );
      return card && toState(card);
    },

    /** What waits for a decision about posts. */
    waiting: async (caller: Caller) => {
      await closeStale(caller, await store.open(caller.workspaceId));
      return (await store.open(caller.workspaceId))
        .filter(({ action }) => kindOf(action) === 'post')
        .map((card) => ({
          postId: idOf(card),
          action: card.action,
          approvalUrl: `${baseUrl}/approvals/${card.id}`,
        }));
    },

    /** The last request of each action about this post or account. */
    about: async (caller: Caller, subjectId: string): Promise<RequestState[]> => {
      const rows = await store.about(caller.workspaceId, subjectId);
      const changed = await closeStale(caller, rows);
      return (changed ? await store.about(caller.workspaceId, subjectId) : rows).map(toState);
    },

    list: async (
      caller: Caller,
      { status, cursor }: { status?: CardStatus | undefined; cursor?: string | undefined },
    ) => {
      const openCards = await store.open(caller.workspaceId);
      for (const card of openCards.filter((one) => one.is_preparing)) await finishPreparing(caller, card.id);
      await closeStale(
        caller,
        openCards.some((one) => one.is_preparing) ? await store.open(caller.workspaceId) : openCards,
      );
      const after = positionFrom(cursor);
      const limits = { limit: pageLength + 1, bytes: bounds.pageBytes };
      const rows = await store.page(caller.workspaceId, status, after, limits);
      const page = rows.slice(0, pageLength);
      const last = page.at(-1);
      const accountsById = await readAccounts(caller);
      return {
        cards: page.map((row) => show(row, accountsById)),
        ...(last && last.total > page.length && { nextCursor: toPosition(last) }),
      };
    },

    get,

    /** Runs the action as the approving human, in the transaction that closes the card, so two clicks run it once. */
    approve: async (caller: Caller, id: string) => {
      let isLocked = false;
      const decide = async () => {
        const row = await lockUndecided(caller, id);
        isLocked = true;
        if (isExpired(row)) {
          await settle(caller, row, 'Expired');
          return 'This request is older than 7 days and has expired.';
        }
        if (!(await isUnchanged(caller, row))) {
          await settle(caller, row, 'Outdated');
          return 'The post or account was changed after the request. Check it again; the agent can send a new request.';
        }
        if (row.is_preparing) throw stillPreparing();
        const action = findAction(actions, row.action);
        const as: Caller = { ...caller, human: true, client: clientNamed(row.client) };
        const { value: outcome } = await action.run(action.admit(row.input, as), {});
        await settle(caller, row, 'Approved', outcome);
        return undefined;
      };
      const { becomes } = ((await store.get(caller.workspaceId, id))?.subject ?? {}) as Subject;
      if (becomes) await fitFor(caller, { becomes });
      await finishPreparing(caller, id);
      const refusal = await store.transaction(decide).catch(async (error: unknown) => {
        // For example a post that was saved without changes: its updatedAt no longer equals the request's
        // baseUpdatedAt.
        const isOutdated = isLocked && error instanceof Refusal && error.code === 'Conflict';
        if (isOutdated) await closeOpen(caller, [{ id }], 'Outdated');
        throw error;
      });
      if (refusal !== undefined) throw new Refusal('Conflict', refusal);
      return get(caller, id);
    },

    reject: async (caller: Caller, id: string) => {
      await store.transaction(async () =>
        settle(caller, await lockUndecided(caller, id, ['Open', 'Outdated']), 'Rejected'),
      );
      return get(caller, id);
    },

    /** Closes cards without a decision after their time. */
    expire: () => store.expire(clock.now()),

    /** The audit log keeps requests and decisions for longer. */
    purge: async () => {
      const purged = await store.purge(new Date(clock.now().getTime() - retentionMs), maxDecisions);
      for (const workspaceId of await store.haveEmptyConversations()) {
        await store.transaction(async () => {
          await store.lockRequests(workspaceId);
          await store.removeEmptyConversations(workspaceId);
        });
      }
      return purged;
    },
  };
};

/** Whether the action changes a scheduled post that stays scheduled. */
const isChange = ({ action }: RunnableAction, { post }: Pick<Subject, 'post'>) =>
  post?.status === 'Scheduled' && action.destructive !== true;

/** What is removed needs no files. */
const isRemoval = ({ action }: RunnableAction) => action.destructive === true;

/** What its files are fitted for: a change of a scheduled post is fitted as a draft is. */
const draftOf = ({ post, becomes }: { readonly post?: Post | undefined; readonly becomes?: Post | undefined }) =>
  becomes ? { ...becomes, status: 'Draft' as const } : post;

/** Whether a card is for what would go out now. */
const holds = ({ content_hash, is_preparing }: OpenCard, pin: Pin | undefined) =>
  pin !== undefined && content_hash.equals(is_preparing ? pin.preparing : pin.ready);

const stillPreparing = () => {
  const message = 'Files of this post are still being prepared for a network. Approve it when they are ready.';
  return new Refusal('Invalid', message, [{ path: 'media', code: 'MediaFitting', message }]);
};

const withChange = (
  { media: before = [], ...subject }: Subject,
  { post, media = [], fitted = [] }: Subject,
): Subject => ({
  ...subject,
  ...(post && { becomes: post }),
  media: [...media, ...before.filter(({ id }) => media.every((one) => one.id !== id))],
  fitted,
});

/** The sentence of a card begins with a verb: `Publish this post now`. */
const verbOf = (sentence: string) => (/^\w+/.exec(sentence)?.[0] ?? 'change').toLowerCase();

const unlessNotFound = (error: unknown) => {
  if (!(error instanceof Refusal && error.code === 'NotFound')) throw error;
};

/** Open cards come first in the list, so the position says whether the page ended among them. */
const toPosition = ({ id, status }: CardRow) => toCursor(status === 'Open' ? id.replace('card_', 'open_') : id);

const positionFrom = (cursor: string | undefined) => {
  const place = fromCursor(cursor);
  return place === null ? undefined : { id: place.replace('open_', 'card_'), open: place.startsWith('open_') };
};
