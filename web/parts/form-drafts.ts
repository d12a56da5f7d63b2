/** What people have entered into the forms that are open, by key. */
const drafts = new Map<string, unknown>();

export const keyPrefix = 'posthorn-form';

const takeStored = () => {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(keyPrefix));
  const stored = new Map<string, unknown>(keys.map((key) => [key, JSON.parse(sessionStorage.getItem(key) ?? 'null')]));
  for (const key of keys) sessionStorage.removeItem(key);
  return stored;
};

/** What this tab stored before the page was loaded, for the forms that are not open again yet. */
let stored: Map<string, unknown> | undefined;

/** Stored only when the session ends or the app reloads the page, and for this tab alone. */
export const formDrafts = {
  put: (key: string, value: unknown) => {
    drafts.set(key, value);
    return () => void drafts.delete(key);
  },
  /** Returns whether everything that was entered is stored, if anything was. */
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
   * The first read empties the storage, whoever signed in: a URL may hold a secret, and a form that is not opened again
   * would leave it there.
   */
  read: (key: string): unknown => {
    stored ??= takeStored();
    return stored.get(key);
  },
  remove: (key: string) => void stored?.delete(key),
};
