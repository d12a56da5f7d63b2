import { isPosthornError, type Post } from '#generated/app-client';
import { actions } from '#web/api.ts';
import { isRetryable } from '#web/faults.ts';
import { now } from '#web/parts/time.ts';
import { type Change, contentOf, type Draft, draftOf, isSame } from './draft.ts';
import { readLocalDraft, removeLocalDraft, saveLocalDraft } from './local-draft.ts';

const quietMs = 600;
const retryMs = 5000;
const keepMs = 200;

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
  | 'conflict';

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

export class NotSaved extends Error {}

/** Saves 600 ms after the last edit, one request at a time. Unsaved text is also stored in the browser. */
export const createAutosave = ({
  post,
  fresh,
  onCreated,
  onSaved,
}: {
  post: Post | undefined;
  /** Initial content of a new post. */
  fresh: Draft;
  onCreated: (id: string) => void;
  onSaved: (post: Post) => void;
}) => {
  let state: SaveState = opened(post, fresh);
  let attempt: Attempt | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keeper: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  const listeners = new Set<() => void>();

  const set = (change: Partial<SaveState>) => {
    state = { ...state, ...change };
    for (const hear of listeners) hear();
  };

  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), ms);
  };

  const keep = () => {
    clearTimeout(keeper);
    keeper = undefined;
    saveLocalDraft(state.base?.id, { draft: state.draft, baseUpdatedAt: state.base?.updatedAt });
  };
  /** Throttled: serializing a long text on every key press is slow. */
  const keepSoon = () => {
    keeper ??= setTimeout(keep, keepMs);
  };
  const keepNow = () => {
    if (keeper !== undefined) keep();
  };
  const forget = (id: string | undefined) => {
    clearTimeout(keeper);
    keeper = undefined;
    removeLocalDraft(id);
  };

  const isSaved = () => state.base !== undefined && isSame(state.draft, draftOf(state.base));

  const adopt = (saved: Post) => {
    forget(saved.id);
    const rest = { theirs: undefined, fault: undefined, retryAt: undefined, savedAt: now().toISOString() };
    set({ ...rest, base: saved, draft: { ...draftOf(saved, state.draft) }, phase: 'clean' });
  };

  const save = () => {
    clearTimeout(timer);
    running ??= run().finally(() => {
      running = undefined;
    });
    return running;
  };

  const run = async () => {
    if (state.phase === 'conflict') return;
    while (!isSaved() || attempt !== undefined) {
      set({ phase: 'saving', retryAt: undefined });
      attempt ??= { key: newKey(), content: contentOf(state.draft), base: state.base };
      try {
        const saved = await send(attempt);
        const isFirst = state.base === undefined;
        attempt = undefined;
        if (isFirst) forget(undefined);
        set({ base: saved, fault: undefined });
        if (isFirst) onCreated(saved.id);
        onSaved(saved);
      } catch (error) {
        await failed(error);
        return;
      }
      if (!isSaved()) keep();
    }
    forget(state.base?.id);
    set({ phase: 'clean', savedAt: now().toISOString(), retryAt: undefined, fault: undefined });
  };

  const failed = async (error: unknown) => {
    if (isRetryable(error)) return wait(error);
    attempt = undefined;
    const id = state.base?.id;
    if (!isPosthornError(error, 'Conflict') || id === undefined) return set({ phase: 'refused', fault: error });
    try {
      const theirs = await actions.posts.get({ id });
      if (isSame(state.draft, draftOf(theirs))) adopt(theirs);
      else if (theirs.updatedAt === state.base?.updatedAt) set({ phase: 'refused', fault: error });
      else set({ phase: 'conflict', theirs, fault: undefined });
    } catch (again) {
      // Conflict here means that another tab switched workspaces; wait until this one is open again.
      if (isRetryable(again) || isPosthornError(again, 'Conflict')) wait(again);
      else set({ phase: 'refused', fault: again });
    }
  };

  const wait = (error: unknown) => {
    const ms = isPosthornError(error, 'TooManyRequests') ? (error.retryAfterMs ?? retryMs) : retryMs;
    set({ phase: 'waiting', fault: error, retryAt: performance.now() + ms });
    later(ms);
  };

  const retryNow = () => {
    if (state.phase === 'waiting') void save();
  };

  return {
    subscribe: (hear: () => void) => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    read: () => state,

    edit: (change: Change) => {
      const draft = change(state.draft);
      if (draft === state.draft) return;
      set({ draft });
      keepSoon();
      if (state.phase === 'conflict') return;
      if (state.phase === 'clean' || state.phase === 'refused') set({ phase: 'dirty' });
      // The scheduled retry sends the new text as well.
      if (state.phase === 'dirty') later(quietMs);
    },

    /** Resolves when everything is saved; throws NotSaved otherwise. */
    settle: async () => {
      await save();
      if (state.phase !== 'clean') throw new NotSaved('The text is not saved yet.', { cause: state.fault });
      return state.base;
    },

    retry: retryNow,

    /** A version from a live update. Unsaved text wins; saving it detects the conflict. */
    receive: (post: Post) => {
      const isNews = state.base?.id === post.id && post.updatedAt > state.base.updatedAt;
      if (isNews && state.phase === 'clean' && !running) {
        set({ base: post, draft: draftOf(post, state.draft) });
      }
    },

    /** Replaces the draft with the response to an action, or with the other version of a conflict. */
    adopt,

    start: () => {
      window.addEventListener('pagehide', keepNow);
      window.addEventListener('online', retryNow);
      if (state.phase === 'dirty') void save();
    },

    stop: () => {
      window.removeEventListener('pagehide', keepNow);
      window.removeEventListener('online', retryNow);
      keepNow();
      if (state.phase === 'dirty') void save();
      else clearTimeout(timer);
    },
  };
};

/** The saved post, or the unsaved text that this browser stored for it. */
const opened = (post: Post | undefined, fresh: Draft): SaveState => {
  const kept = readLocalDraft(post?.id);
  if (!kept) return { draft: post ? draftOf(post) : fresh, base: post, phase: 'clean' };
  // The time in the address wins over the stored one.
  const { scheduledAt = kept.draft.scheduledAt } = fresh;
  if (!post) return { draft: { ...kept.draft, scheduledAt }, base: undefined, phase: 'dirty' };
  if (isSame(kept.draft, draftOf(post))) {
    removeLocalDraft(post.id);
    return { draft: draftOf(post), base: post, phase: 'clean' };
  }
  const isStale = kept.baseUpdatedAt !== post.updatedAt;
  return isStale
    ? { draft: kept.draft, base: post, phase: 'conflict', theirs: post }
    : { draft: kept.draft, base: post, phase: 'dirty' };
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
