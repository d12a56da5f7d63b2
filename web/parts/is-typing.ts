const fields = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]';

const isField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);

/** Longer than people pause within a sentence. */
const pauseMs = 2000;
let lastField: HTMLElement | undefined;
let lastKeyAt = Number.NEGATIVE_INFINITY;

/** A field may be removed while somebody types in it. The next keys were meant for it and must not run shortcuts. */
const isTypingOn = () => lastField !== undefined && !lastField.isConnected && performance.now() - lastKeyAt < pauseMs;

const forgetField = () => {
  lastField = undefined;
};

window.addEventListener('focusin', ({ target }) => {
  if (isField(target)) lastField = target;
  // If the field was removed, the app moved the focus, not the person, who may still be typing.
  else if (lastField?.isConnected) forgetField();
});
window.addEventListener('pointerdown', forgetField);
window.addEventListener(
  'keydown',
  ({ target, key, ctrlKey, metaKey }) => {
    // These keys end the typing in a field, except a plain Enter in a textarea.
    const isNewLine = target instanceof HTMLTextAreaElement && !ctrlKey && !metaKey;
    const isEnd = key === 'Escape' || key === 'Tab' || (key === 'Enter' && !isNewLine);
    if (isEnd || (!isField(target) && !isTypingOn())) forgetField();
    else if (isField(target)) lastField = target;
    lastKeyAt = performance.now();
  },
  true,
);

/** Single-key shortcuts are off in fields, dialogs and menus. */
export const isTyping = ({ target }: Pick<Event, 'target'>) => isField(target) || isTypingOn();
