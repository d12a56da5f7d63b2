import { isPosthornError, type Post } from '#generated/app-client';
import { actions } from '#web/base/api.ts';
import { isRetryable, NotDone } from '#web/base/faults.ts';
import { now } from '#web/base/time.ts';
import { isAsked } from '#web/parts/approval-requests.ts';
import { type Change, contentOf, type Draft, draftOf, isSame } from './draft.ts';
import { readLocalDraft, removeLocalDraft, saveLocalDraft } from './local-draft.ts';

const quietMs = 600;
const retryMs = 5000;
const localMs = 200;

type Phase =
  | 'clean'
  /** Changed; a save is scheduled. */
  | 'dirty'
  | 'saving'
  /** A retry is scheduled. */
  | 'waiting'
  /** The server refused; the next edit tries again. */
  | 'refused'
  /** Someone else changed the post. */
  | 'conflict'
  /** Edited, but the post is scheduled and this person has to request approval for the change. */
  | 'held';

export interface SaveState {
  readonly draft: Draft;
  /** The last saved version; undefined before the first save. */
  readonly base: Post | undefined;
  readonly phase: Phase;
  /** `performance.now()` of the next retry. */
  readonly retryAt?: number | undefined;
  readonly fault?: unknown;
  /** With `conflict`: the other version. */
  readonly theirs?: Post | undefined;
  readonly savedAt?: string | undefined;
}

/** Resent unchanged with the same idempotency key after a lost answer, so nothing happens twice. */
interface Attempt {
  readonly key: string;
  readonly content: ReturnType<typeof contentOf>;
  readonly base: Post | undefined;
}

/** The running save of a new post that was left before it had an id. It never rejects. */
let saveOfLeftPost: Promise<void> | undefined;

/** While it runs, what the browser stored for a new post belongs to the post that was left. */
export const readSaveOfLeftPost = () => saveOfLeftPost;

const rememberUntilDone = (save: Promise<void>) => {
  saveOfLeftPost = save;
  void save.then(() => {
    if (saveOfLeftPost === save) saveOfLeftPost = undefined;
  });
};

/** Saves 600 ms after the last edit, one request at a time. Unsaved text is also stored in the browser. */
export const createAutosave = ({
  post,
  initial,
  canOnlyAsk,
  onCreated,
  onSaved,
}: {
  post: Post | undefined;
  /** Initial content of a new post. */
  initial: Draft;
  /** Whether this person may only request changes to a scheduled post. If so, its edits are not saved automatically. */
  canOnlyAsk: () => boolean;
  onCreated: (id: string) => void;
  onSaved: (post: Post) => void;
}) => {
  let state: SaveState = openState(post, initial);
  let attempt: Attempt | undefined = post ? undefined : openAttempt();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let localTimer: ReturnType<typeof setTimeout> | undefined;
  /** A save or an action; it never rejects. */
  let running: Promise<void> | undefined;
  /** The editor is closed. A running save still finishes. */
  let isStopped = false;
  /** A newer version from a live update, which waits until a save ends or nothing is unsaved. */
  let pendingVersion: Post | undefined;
  const listeners = new Set<() => void>();

  const set = (change: Partial<SaveState>) => {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  };

  const saveIn = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), ms);
  };

  const storeLocally = () => {
    clearTimeout(localTimer);
    localTimer = undefined;
    const { base, draft } = state;
    saveLocalDraft(base?.id, { draft, baseUpdatedAt: base?.updatedAt, attempt: base ? undefined : attempt });
  };
  /** Throttled: serializing a long text on every key press is slow. */
  const storeSoon = () => {
    localTimer ??= setTimeout(storeLocally, localMs);
  };
  const flushLocal = () => {
    if (localTimer !== undefined) storeLocally();
  };
  const discardLocal = (id: string | undefined) => {
    clearTimeout(localTimer);
    localTimer = undefined;
    removeLocalDraft(id);
  };

  const isHeld = () => canOnlyAsk() && state.base?.status === 'Scheduled';

  const isSaved = () => state.base !== undefined && isSame(state.draft, draftOf(state.base));

  const adopt = (saved: Post) => {
    discardLocal(saved.id);
    const rest = { theirs: undefined, fault: undefined, retryAt: undefined, savedAt: now().toISOString() };
    set({ ...rest, base: saved, draft: { ...draftOf(saved, state.draft) }, phase: 'clean' });
  };

  const save = () => {
    clearTimeout(timer);
    running ??= run().finally(endRun);
    return running;
  };

  const endRun = () => {
    running = undefined;
    receivePending();
  };

  const receivePending = () => {
    const version = pendingVersion;
    pendingVersion = undefined;
    if (version) receive(version);
  };

  const receive = (post: Post) => {
    if (running) {
      pendingVersion = post;
      return;
    }
    if (state.base?.id !== post.id || post.updatedAt <= state.base.updatedAt) return;
    if (state.phase === 'clean') set({ base: post, draft: draftOf(post, state.draft) });
    else if (wasSent(post)) stopWith(post);
    else pendingVersion = post;
  };

  const run = async () => {
    if (state.phase === 'conflict') return;
    while (!isSaved() || attempt !== undefined) {
      set({ phase: 'saving', retryAt: undefined });
      attempt ??= { key: newKey(), content: contentOf(state.draft), base: state.base };
      // Store the idempotency key: a retry after a reload then creates no second post.
      if (state.base === undefined) storeLocally();
      try {
        const saved = await send(attempt);
        const isFirst = state.base === undefined;
        attempt = undefined;
        if (isFirst) discardLocal(undefined);
        set({ base: saved, fault: undefined });
        if (isFirst && !isStopped) onCreated(saved.id);
        onSaved(saved);
      } catch (error) {
        await handleFailure(error);
        return;
      }
      if (!isSaved()) storeLocally();
    }
    discardLocal(state.base?.id);
    set({ phase: 'clean', savedAt: now().toISOString(), retryAt: undefined, fault: undefined });
  };

  const handleFailure = async (error: unknown) => {
    if (isRetryable(error)) return scheduleRetry(error);
    attempt = undefined;
    if (isAsked(error) && state.base) {
      discardLocal(state.base.id);
      return set({ draft: draftOf(state.base), phase: 'clean', fault: error });
    }
    const id = state.base?.id;
    if (!isPosthornError(error, 'Conflict') || id === undefined) return set({ phase: 'refused', fault: error });
    try {
      const theirs = await actions.posts.get({ id });
      if (isSame(state.draft, draftOf(theirs))) adopt(theirs);
      else if (wasSent(theirs)) stopWith(theirs);
      else if (theirs.updatedAt === state.base?.updatedAt) set({ phase: 'refused', fault: error });
      else set({ phase: 'conflict', theirs, fault: undefined });
    } catch (refetchError) {
      // Conflict here means that another tab switched workspaces; wait until this one is open again.
      if (isRetryable(refetchError) || isPosthornError(refetchError, 'Conflict')) scheduleRetry(refetchError);
      else set({ phase: 'refused', fault: refetchError });
    }
  };

  /** Whether sending started since the last save, even if it failed. */
  const wasSent = ({ status }: Post) => status !== state.base?.status && sentStatuses.includes(status);

  /** The post was sent without the unsaved text, so stop saving automatically. */
  const stopWith = (post: Post) => {
    clearTimeout(timer);
    set({ base: post, theirs: post, phase: 'conflict', fault: undefined, retryAt: undefined });
  };

  const scheduleRetry = (error: unknown) => {
    const ms = isPosthornError(error, 'TooManyRequests') ? (error.retryAfterMs ?? retryMs) : retryMs;
    set({ phase: 'waiting', fault: error, retryAt: performance.now() + ms });
    // After `stop` the text waits in the browser, and is saved when the post is opened again.
    if (!isStopped) saveIn(ms);
  };

  const retryNow = () => {
    if (state.phase === 'waiting') void save();
  };

  /** Resolves once everything is saved, or throws the reason why it is not. */
  const settle = async () => {
    if (state.phase === 'held') throw new NotDone('Ask for your change first, or discard it.');
    await save();
    // The first call may have joined a running action, which does not save this edit.
    if (state.phase === 'dirty') await save();
    if (state.phase !== 'clean') throw state.fault ?? new NotDone('The text is not saved yet.');
    return state.base;
  };

  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    read: () => state,

    edit: (change: Change) => {
      const draft = change(state.draft);
      if (draft === state.draft) return;
      set({ draft });
      storeSoon();
      if (state.phase === 'conflict') return;
      if (isHeld()) {
        set({ phase: isSaved() ? 'clean' : 'held', fault: undefined });
        return receivePending();
      }
      if (state.phase === 'clean' || state.phase === 'refused') set({ phase: 'dirty' });
      // The scheduled retry sends the new text as well.
      if (state.phase === 'dirty') saveIn(quietMs);
    },

    settle,

    /** Saves, then runs an action on the post. Edits made meanwhile are saved after the action. */
    act: async (action: (post: Post) => Promise<Post>) => {
      const post = await settle();
      if (post === undefined) throw new NotDone('There is nothing to send yet.');
      const before = state.draft;
      const answer = action(post).then((saved) => {
        if (isSame(state.draft, before)) return adopt(saved);
        if (wasSent(saved)) return stopWith(saved);
        set({ base: saved, draft: { ...state.draft, scheduledAt: saved.scheduledAt } });
        storeLocally();
      });
      running = answer
        .catch(() => undefined)
        .finally(() => {
          endRun();
          if (state.phase === 'dirty') saveIn(quietMs);
        });
      await answer;
    },

    /** Requests approval for the edit. Once requested, the draft resets. Returns the server’s answer. */
    ask: async () => {
      await save();
      return state.fault;
    },

    discard: () => {
      if (state.phase !== 'held' || state.base === undefined) return;
      discardLocal(state.base.id);
      set({ draft: draftOf(state.base), phase: 'clean' });
      receivePending();
    },

    retry: retryNow,

    /**
     * A newer version from a live update. Unsaved text stays, and saving it detects the conflict. If the post was sent,
     * nothing is saved any more, so this stops at once.
     */
    receive,

    /** Replaces the draft with the other version of a conflict. */
    adopt,

    /** Ends a conflict with this draft, based on the other version. */
    resolve: (draft: Draft) => {
      if (state.phase !== 'conflict' || state.theirs === undefined) return;
      // An unanswered attempt is based on the previous version, so the server would refuse it.
      attempt = undefined;
      set({ base: state.theirs, theirs: undefined, fault: undefined, draft, phase: 'dirty' });
      storeLocally();
      void save();
    },

    start: () => {
      isStopped = false;
      window.addEventListener('pagehide', flushLocal);
      window.addEventListener('online', retryNow);
      if (state.phase === 'dirty' && isHeld()) set({ phase: 'held' });
      else if (state.phase === 'dirty') void save();
    },

    stop: () => {
      window.removeEventListener('pagehide', flushLocal);
      window.removeEventListener('online', retryNow);
      flushLocal();
      if (state.phase === 'dirty' && !isStopped) void save();
      else clearTimeout(timer);
      if (state.base === undefined && running) rememberUntilDone(running);
      isStopped = true;
    },

    /** Stops saving a new post. If a running save still creates it, returns its id. */
    abandon: async () => {
      isStopped = true;
      clearTimeout(timer);
      discardLocal(undefined);
      await running;
      return state.base?.id;
    },
  };
};

const sentStatuses: readonly Post['status'][] = ['Publishing', 'Published', 'Failed'];

/** The saved post, or the unsaved text that this browser stored for it. */
const openState = (post: Post | undefined, initial: Draft): SaveState => {
  const stored = readLocalDraft(post?.id);
  if (!stored) return { draft: post ? draftOf(post) : initial, base: post, phase: 'clean' };
  // The time in the address wins over the stored one.
  const { scheduledAt = stored.draft.scheduledAt } = initial;
  if (!post) return { draft: { ...stored.draft, scheduledAt }, base: undefined, phase: 'dirty' };
  if (isSame(stored.draft, draftOf(post))) {
    removeLocalDraft(post.id);
    return { draft: draftOf(post), base: post, phase: 'clean' };
  }
  const isStale = stored.baseUpdatedAt !== post.updatedAt;
  return isStale
    ? { draft: stored.draft, base: post, phase: 'conflict', theirs: post }
    : { draft: stored.draft, base: post, phase: 'dirty' };
};

/** An attempt to create a post that was still unanswered when the person left the page. */
const openAttempt = (): Attempt | undefined => {
  const stored = readLocalDraft(undefined)?.attempt;
  return stored && { ...stored, base: undefined };
};

const send = ({ key, content, base }: Attempt): Promise<Post> => {
  const { accountIds, versions } = content;
  const body = versions[0]?.content[0]?.body ?? '';
  // Without scheduledAt: creating a post with a time would schedule it.
  if (base === undefined) return actions.posts.create({ accountIds, body }, { idempotencyKey: key });
  return actions.posts.update({ id: base.id, ...content, baseUpdatedAt: base.updatedAt }, { idempotencyKey: key });
};

const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
