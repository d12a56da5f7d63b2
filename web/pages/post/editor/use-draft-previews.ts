import type { PreviewEntry } from '#web/previews/preview-picker.tsx';
import { toPreview } from '#web/previews/to-preview.ts';
import { type Draft, hasOwnMedia, hasOwnText, resultFor } from './draft.ts';
import { useEditor } from './use-editor.ts';

/** What each account gets as the draft is now. */
export const useDraftPreviews = (): PreviewEntry[] => {
  const { chosen, deferredDraft, limitsOf, optionsOf, choicesOf, mediaOf, fittedOf, linkCards } = useEditor();
  return chosen.flatMap((account) => {
    const limits = limitsOf(account);
    if (limits === undefined) return [];
    const post = toPreview({
      account,
      limits,
      ...resultFor(deferredDraft, account.id),
      networkOptions: optionsOf(account.network),
      choicesOf: (key) => choicesOf(account, key),
      mediaOf,
      fittedOf: (id) => fittedOf(account, id),
      linkCards,
    });
    return [{ id: account.id, post, note: noteOf(deferredDraft, account.id) }];
  });
};

const noteOf = (draft: Draft, accountId: string) => {
  if (hasOwnText(draft, accountId)) return 'own text';
  return hasOwnMedia(draft, accountId) ? 'own media' : undefined;
};
