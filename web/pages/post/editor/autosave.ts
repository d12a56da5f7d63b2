import { isPosthornError, type Post } from '#generated/app-client';
import { actions } from '#web/api.ts';
import { isRetryable } from '#web/faults.ts';
import { now } from '#web/parts/time.ts';
import { type Change, contentOf, type Draft, draftOf, isSame } from './draft.ts';
import { forgetText, keepText, keptText } from './kept-text.ts';

const quietMs = 600;
const retryMs = 5000;
const keepMs = 200;

type Phase =
  | 'clean'
  /** Changed, and saved in a moment. */
  | 'dirty'
  | 'saving'
  /** The server did not answer; it is tried again. */
  | 'waiting'
  /** The server said no; the next change tries again. */
  | 'refused'
  /** Somebody else changed the post. */
  | 'conflict';

export interface SaveState {
  readonly draft: Draft;
  /** The post as it was saved last; absent before the first time. */
  readonly base: Post | undefined;
  readonly phase: Phase;
  /** `performance.now()` of the next try. */
  readonly retryAt?: number | undefined;
  readonly fault?: unknown;
  /** With `conflict`: what somebody else made of the post. */
  readonly theirs?: Post | undefined;
  /** When this tab saved last. */
  readonly savedAt?: string | undefined;
}

/** What was sent and not answered: the same again, so that nothing happens twice. */
interface Attempt {
  readonly key: string;
  readonly content: ReturnType<typeof contentOf>;
  readonly base: Post | undefined;
}

/** Thrown by `settle` when the text could not be saved. */
export class NotSaved extends Error {}

/** Saves a post while it is written: 600 ms after the last change, one request at a time, and keeps what is not saved. */
export const createAutosave = ({
  post,
  fresh,
  onCreated,
  onSaved,
}: {
  post: Post | undefined;
  /** The draft of a post that is not made yet. */
  fresh: Draft;
  onCreated: (id: string) => void;
  onSaved: (post: Post) => void;
}) => {
  let state: SaveState = opened(post, fresh);
  let attempt: Attempt | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let keeper: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> | undefined;
  const hearers = new Set<() => void>();

  const set = (change: Partial<SaveState>) => {
    state = { ...state, ...change };
    for (const hear of hearers) hear();
  };

  const later = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => void save(), ms);
  };

  const keep = () => {
    clearTimeout(keeper);
    keeper = undefined;
    keepText(state.base?.id, { draft: state.draft, baseUpdatedAt: state.base?.updatedAt });
  };
  /** Not with every key: a long text takes a while to write down. */
  const keepSoon = () => {
    keeper ??= setTimeout(keep, keepMs);
  };
  const keepNow = () => {
    if (keeper !== undefined) keep();
  };
  const forget = (id: string | undefined) => {
    clearTimeout(keeper);
    keeper = undefined;
    forgetText(id);
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
      // Another workspace is open in another tab: the text waits until this one is open again.
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
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
    read: () => state,

    edit: (change: Change) => {
      const draft = change(state.draft);
      if (draft === state.draft) return;
      set({ draft });
      keepSoon();
      if (state.phase === 'conflict') return;
      if (state.phase === 'clean' || state.phase === 'refused') set({ phase: 'dirty' });
      // While it waits for the server, the next try takes the new text along.
      if (state.phase === 'dirty') later(quietMs);
    },

    /** Everything is on the server when it answers; throws when that is not possible. */
    settle: async () => {
      await save();
      if (state.phase !== 'clean') throw new NotSaved('The text is not saved yet.', { cause: state.fault });
      return state.base;
    },

    retry: retryNow,

    /** What the server tells on its own. A text that is not saved stays; saving it finds the conflict. */
    receive: (post: Post) => {
      const isNews = state.base?.id === post.id && post.updatedAt > state.base.updatedAt;
      if (isNews && state.phase === 'clean' && !running) {
        set({ base: post, draft: draftOf(post, state.draft) });
      }
    },

    /** The answer to an act on the post, or the other text of a conflict. */
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

/** The post as it is, or with the text that this browser kept. */
const opened = (post: Post | undefined, fresh: Draft): SaveState => {
  const kept = keptText(post?.id);
  if (!kept) return { draft: post ? draftOf(post) : fresh, base: post, phase: 'clean' };
  // The time that was asked for just now counts.
  const { scheduledAt = kept.draft.scheduledAt } = fresh;
  if (!post) return { draft: { ...kept.draft, scheduledAt }, base: undefined, phase: 'dirty' };
  if (isSame(kept.draft, draftOf(post))) {
    forgetText(post.id);
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
  // A time is not sent along here: a person who creates with one schedules.
  if (base === undefined) return actions.posts.create({ accountIds, body }, { idempotencyKey: key });
  return actions.posts.update({ id: base.id, ...content, baseUpdatedAt: base.updatedAt }, { idempotencyKey: key });
};

const newKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
