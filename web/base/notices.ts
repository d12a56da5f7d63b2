import { useSyncExternalStore } from 'react';

/** Problems of the whole app, shown above every page. */
interface Notices {
  /** Number of Conflict responses: each may mean that another tab switched workspaces. */
  conflicts: number;
  isUnreachable: boolean;
  /** This tab is switching workspaces itself and is about to reload. */
  isSwitching: boolean;
  /** `performance.now()` at the end of the rate limit. */
  tooManyUntil: number | undefined;
}

let state: Notices = { conflicts: 0, isUnreachable: false, isSwitching: false, tooManyUntil: undefined };
const listeners = new Set<() => void>();
let tooManyTimer: ReturnType<typeof setTimeout> | undefined;

const set = (change: Partial<Notices>) => {
  const next = { ...state, ...change };
  if ((Object.keys(next) as (keyof Notices)[]).every((key) => next[key] === state[key])) return;
  state = next;
  for (const listener of listeners) listener();
};

export const notices = {
  set,
  conflict: () => set({ conflicts: state.conflicts + 1 }),
  tooMany: (waitMs: number) => {
    const until = performance.now() + waitMs;
    if (until <= (state.tooManyUntil ?? 0)) return;
    clearTimeout(tooManyTimer);
    set({ tooManyUntil: until });
    tooManyTimer = setTimeout(() => set({ tooManyUntil: undefined }), waitMs);
  },
};

// The back-forward cache restores the page with its variables, so reset the flag.
addEventListener('pageshow', () => set({ isSwitching: false }));

export const useNotices = () =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => state,
  );
