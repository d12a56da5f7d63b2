const fields = 'input:not([type="radio"], [type="checkbox"]), textarea, select, [role="dialog"], [role="menu"]';

/** Off in fields and dialogs. */
export const isTyping = ({ target }: Pick<Event, 'target'>) =>
  target instanceof HTMLElement && (target.isContentEditable || target.closest(fields) !== null);
