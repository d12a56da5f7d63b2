import { workspaceOfTab } from '#web/api.ts';
import type { Draft } from './draft.ts';

/** Unsaved text, stored in the browser. */
export interface Kept {
  draft: Draft;
  /** updatedAt of the post it is based on; undefined for a new post. */
  baseUpdatedAt?: string | undefined;
}

const nameFor = (id: string | undefined) => `posthorn-kept ${workspaceOfTab()} ${id ?? 'new'}`;

/** Session storage survives a reload of this tab, local storage survives closing it. */
const places = () => [sessionStorage, localStorage];

export const saveLocalDraft = (id: string | undefined, kept: Kept) => {
  for (const place of places()) {
    try {
      place.setItem(nameFor(id), JSON.stringify(kept));
    } catch {
      // Storage is full or disabled; the text is still on the page.
    }
  }
};

export const removeLocalDraft = (id: string | undefined) => {
  // Another tab may have stored its own text for this post.
  const own = sessionStorage.getItem(nameFor(id));
  sessionStorage.removeItem(nameFor(id));
  if (localStorage.getItem(nameFor(id)) === own) localStorage.removeItem(nameFor(id));
};

export const readLocalDraft = (id: string | undefined): Kept | undefined => {
  for (const place of places()) {
    const text = place.getItem(nameFor(id));
    if (text === null) continue;
    try {
      const kept = JSON.parse(text) as Kept;
      if (Array.isArray(kept.draft.original.items) && Array.isArray(kept.draft.accountIds)) return kept;
    } catch {
      place.removeItem(nameFor(id));
    }
  }
  return undefined;
};
