/** The current input of all open forms, by key. */
const drafts = new Map<string, unknown>();

export const keyPrefix = 'posthorn-form';

const takeStored = () => {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(keyPrefix));
  const stored = new Map<string, unknown>(keys.map((key) => [key, JSON.parse(sessionStorage.getItem(key) ?? 'null')]));
  for (const key of keys) sessionStorage.removeItem(key);
  return stored;
};

/** Input that this tab stored before the page was loaded, for forms that have not been opened again yet. */
let stored: Map<string, unknown> | undefined;

/** Stores input only when the session ends or the app reloads the page, and only for this tab. */
export const formDrafts = {
  put: (key: string, value: unknown) => {
    drafts.set(key, value);
    return () => void drafts.delete(key);
  },
  /** Returns whether there was any input and all of it was stored. */
  store: () => {
    try {
      for (const [key, value] of drafts) sessionStorage.setItem(key, JSON.stringify(value));
      return drafts.size > 0;
    } catch {
      // Storage is full or disabled.
      return false;
    }
  },
  /**
   * The first read empties the storage, no matter who signed in: input such as a URL may contain a secret, which would
   * stay there if its form is never opened again.
   */
  read: (key: string): unknown => {
    stored ??= takeStored();
    return stored.get(key);
  },
  remove: (key: string) => void stored?.delete(key),
};
