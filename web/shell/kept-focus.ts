import { useEffect } from 'react';

/** A dialog, a list or a dialog's own end may say where to go on; they come first. */
const othersMs = 60;

/**
 * Whoever works with keys is never left nowhere: when what had the focus goes away, it goes back to where it was before
 * (the opener of a dialog), else to the title of the page.
 */
export const useKeptFocus = () => {
  useEffect(() => {
    let focused: Element | undefined;
    let onPage: HTMLElement | undefined;
    let byKeys = false;
    let lastKey = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isLost = () => byKeys && document.activeElement === document.body && focused?.isConnected === false;
    const look = () => {
      if (!isLost()) return;
      const title = document.querySelector<HTMLElement>('main h1');
      (onPage?.isConnected ? onPage : title)?.focus({ preventScroll: onPage?.isConnected !== true });
    };
    const enter = ({ target }: FocusEvent) => {
      if (!(target instanceof HTMLElement)) return;
      focused = target;
      if (target.closest('main') !== null) onPage = target;
    };
    /** Whoever left a field by Escape is not sent back to it: their next key may be a shortcut. */
    const leave = ({ target, relatedTarget }: FocusEvent) => {
      if (lastKey === 'Escape' && target === onPage && relatedTarget === null) onPage = undefined;
    };
    const press = ({ key }: KeyboardEvent) => {
      byKeys = true;
      lastKey = key;
    };
    const point = () => {
      byKeys = false;
    };
    const changes = new MutationObserver(() => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(look, othersMs);
    });
    changes.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', enter);
    document.addEventListener('focusout', leave);
    document.addEventListener('keydown', press, { capture: true });
    document.addEventListener('pointerdown', point, { capture: true });
    return () => {
      changes.disconnect();
      clearTimeout(timer);
      document.removeEventListener('focusin', enter);
      document.removeEventListener('focusout', leave);
      document.removeEventListener('keydown', press, { capture: true });
      document.removeEventListener('pointerdown', point, { capture: true });
    };
  }, []);
};
