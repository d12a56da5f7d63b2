/** What people have typed into the forms that are open, by storage key. */
const drafts = new Map<string, unknown>();

/** Stored only when the session ends, and for this tab alone. */
export const formDrafts = {
  put: (key: string, value: unknown) => {
    drafts.set(key, value);
    return () => void drafts.delete(key);
  },
  /** Returns whether everything that was typed is stored, if anything was. */
  store: () => {
    try {
      for (const [key, value] of drafts) sessionStorage.setItem(key, JSON.stringify(value));
      return drafts.size > 0;
    } catch {
      // Storage is full or disabled.
      return false;
    }
  },
  read: (key: string): unknown => JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined,
  remove: (key: string) => sessionStorage.removeItem(key),
};
