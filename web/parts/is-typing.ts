const fields = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]';

/** Single-key shortcuts are off in fields, dialogs and menus. */
export const isTyping = ({ target }: Pick<Event, 'target'>) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);
