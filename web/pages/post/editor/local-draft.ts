import { workspaceOfTab } from '#web/base/api.ts';
import type { contentOf, Draft } from './draft.ts';

/** Unsaved text, stored in the browser. */
interface LocalDraft {
  draft: Draft;
  /** updatedAt of the post it is based on; undefined for a new post. */
  baseUpdatedAt?: string | undefined;
  /** Of a new post: the request that may have created it. */
  attempt?: { readonly key: string; readonly content: ReturnType<typeof contentOf> } | undefined;
}

const storageKey = (id: string | undefined) => `posthorn-kept ${workspaceOfTab()} ${id ?? 'new'}`;

/** Session storage survives a reload of this tab, local storage survives closing it. */
const storages = () => [sessionStorage, localStorage];

export const saveLocalDraft = (id: string | undefined, stored: LocalDraft) => {
  for (const storage of storages()) {
    try {
      storage.setItem(storageKey(id), JSON.stringify(stored));
    } catch {
      // Storage is full or disabled; the text is still on the page.
    }
  }
};

export const removeLocalDraft = (id: string | undefined) => {
  // Another tab may have stored its own text for this post.
  const own = sessionStorage.getItem(storageKey(id));
  sessionStorage.removeItem(storageKey(id));
  if (localStorage.getItem(storageKey(id)) === own) localStorage.removeItem(storageKey(id));
};

export const readLocalDraft = (id: string | undefined): LocalDraft | undefined => {
  for (const storage of storages()) {
    const text = storage.getItem(storageKey(id));
    if (text === null) continue;
    try {
      const stored = JSON.parse(text) as LocalDraft;
      if (Array.isArray(stored.draft.original.items) && Array.isArray(stored.draft.accountIds)) return stored;
    } catch {
      storage.removeItem(storageKey(id));
    }
  }
  return undefined;
};
