/** Inserts at the caret of the text field with this id, or replaces its selection. */
export const insertText = (id: string, text: string) => {
  const field = document.getElementById(id);
  if (!(field instanceof HTMLTextAreaElement)) return;
  field.focus();
  // Deprecated, but the only way to keep the browser's own undo working.
  if (document.execCommand('insertText', false, text)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
};
