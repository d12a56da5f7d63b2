import { workspaceOfTab } from '#web/api.ts';
import type { Draft } from './draft.ts';

/** What is not on the server yet. */
export interface Kept {
  draft: Draft;
  /** updatedAt of the post that it was written on; absent for one that is not made yet. */
  baseUpdatedAt?: string | undefined;
}

const nameFor = (id: string | undefined) => `posthorn-kept ${workspaceOfTab()} ${id ?? 'new'}`;

/** In this tab, where it outlives a reload, and in the browser, where it outlives the tab. */
const places = () => [sessionStorage, localStorage];

export const keepText = (id: string | undefined, kept: Kept) => {
  for (const place of places()) {
    try {
      place.setItem(nameFor(id), JSON.stringify(kept));
    } catch {
      // No room, or switched off: the text is still on the page.
    }
  }
};

export const forgetText = (id: string | undefined) => {
  // Another tab may keep a text of its own for the same post.
  const own = sessionStorage.getItem(nameFor(id));
  sessionStorage.removeItem(nameFor(id));
  if (localStorage.getItem(nameFor(id)) === own) localStorage.removeItem(nameFor(id));
};

export const keptText = (id: string | undefined): Kept | undefined => {
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
