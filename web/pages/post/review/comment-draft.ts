import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { workspaceOfTab } from '#web/base/api.ts';

const storageKey = (postId: string) => `posthorn-comment ${workspaceOfTab()} ${postId}`;

const store = (postId: string, text: string) => {
  try {
    if (text === '') localStorage.removeItem(storageKey(postId));
    else localStorage.setItem(storageKey(postId), text);
  } catch {
    // Storage is full or disabled; the text is still on the page.
  }
};

/** Removes the draft of a sent comment. The form that sent it may already be closed. */
export const removeCommentDraft = (postId: string, text: string) => {
  if (localStorage.getItem(storageKey(postId)) === text) store(postId, '');
  if (interrupted?.postId === postId && interrupted.text === text) interrupted = undefined;
};

/** Where somebody was typing when the page changed under them. */
let interrupted: { postId: string; text: string; caret: number } | undefined;

/**
 * The unsent text of a new comment. When the page changes, for example because the post goes out, the text stays and
 * the person continues typing where they were.
 */
export const useCommentDraft = (postId: string, field: RefObject<HTMLTextAreaElement | null>) => {
  const [body, setBody] = useState(() => localStorage.getItem(storageKey(postId)) ?? '');
  useEffect(() => store(postId, body), [postId, body]);
  useLayoutEffect(() => {
    const textarea = field.current;
    if (textarea === null) return;
    if (interrupted?.postId === postId) {
      // On a phone, the drawer sets the focus when it opens: make it choose this field.
      textarea.dataset.autofocus = '';
      // This page may have been rendered before the last letters were typed.
      textarea.value = interrupted.text;
      setBody(interrupted.text);
      textarea.focus();
      textarea.setSelectionRange(interrupted.caret, interrupted.caret);
    }
    interrupted = undefined;
    return () => {
      if (document.activeElement !== textarea) return;
      interrupted = { postId, text: textarea.value, caret: textarea.selectionStart };
    };
  }, [postId, field]);
  return [body, setBody] as const;
};
