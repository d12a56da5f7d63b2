import { useEffect } from 'react';

/** Gives dialogs and lists time to move the focus themselves. */
const graceMs = 60;

/**
 * For keyboard users: when the focused element is removed, the focus returns to the previous element (such as the
 * button that opened a dialog), else to the page title. While a dialog is open, the focus stays inside the dialog.
 */
export const useRestoreFocus = () => {
  useEffect(() => {
    let focused: Element | undefined;
    let onPage: HTMLElement | undefined;
    let isKeyboard = false;
    let lastKey = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLost = () => isKeyboard && document.activeElement === document.body && focused?.isConnected === false;
    const restore = () => {
      if (!isLost()) return;
      const dialog = [...document.querySelectorAll<HTMLElement>('[role="dialog"][aria-modal="true"]')].at(-1);
      if (dialog) return dialog.focus();
      const title = document.querySelector<HTMLElement>('main h1');
      (onPage?.isConnected ? onPage : title)?.focus({ preventScroll: onPage?.isConnected !== true });
    };
    const rememberFocus = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      focused = target;
      if (target.closest('main') !== null) onPage = target;
    };
    /** After Escape the focus must not return to the field: the next key may be a shortcut. */
    const forgetFocus = ({ target, relatedTarget }: FocusEvent) => {
      if (lastKey === 'Escape' && target === onPage && relatedTarget === null) onPage = undefined;
    };
    const press = ({ key }: KeyboardEvent) => {
      isKeyboard = true;
      lastKey = key;
    };
    const point = () => {
      isKeyboard = false;
    };
    const changes = new MutationObserver(() => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(restore, graceMs);
    });
    changes.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', rememberFocus);
    document.addEventListener('focusout', forgetFocus);
    document.addEventListener('keydown', press, { capture: true });
    document.addEventListener('pointerdown', point, { capture: true });
    return () => {
      changes.disconnect();
      clearTimeout(timer);
      document.removeEventListener('focusin', rememberFocus);
      document.removeEventListener('focusout', forgetFocus);
      document.removeEventListener('keydown', press, { capture: true });
      document.removeEventListener('pointerdown', point, { capture: true });
    };
  }, []);
};
