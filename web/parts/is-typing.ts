const fields = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]';

const isField = (target: EventTarget | null): target is HTMLElement =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);

/** A longer pause than within a sentence. */
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
  // When a field has gone, the app moves the focus, not the person.
  else if (lastField?.isConnected) forgetField();
});
window.addEventListener('pointerdown', forgetField);
window.addEventListener(
  'keydown',
  ({ target, key, ctrlKey, metaKey }) => {
    // These end the typing in a field, except a plain Enter in a text of several lines.
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
