import { useEffect, useRef } from 'react';

const steps: Record<string, number> = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Gives an area one tab stop for all its links and buttons; arrow keys, Home and End move between them. */
export const useRovingFocus = <Element extends HTMLElement>() => {
  const area = useRef<Element>(null);
  useEffect(() => {
    const box = area.current;
    if (box === null) return;
    const stops = () => [...box.querySelectorAll<HTMLElement>('a, button')].filter((stop) => stop.checkVisibility());
    const setStop = (chosen?: HTMLElement) => {
      const all = stops();
      const stop = chosen ?? all.find(({ tabIndex }) => tabIndex === 0) ?? all[0];
      for (const one of all) one.tabIndex = one === stop ? 0 : -1;
    };
    /** While the focus is outside the area, its tab stop is the link of the current page. */
    const reset = () => {
      if (!box.contains(document.activeElement)) setStop(box.querySelector<HTMLElement>('[aria-current]') ?? undefined);
    };
    const enter = ({ target }: FocusEvent) => {
      const stop = target instanceof HTMLElement ? target.closest<HTMLElement>('a, button') : null;
      if (stop !== null) setStop(stop);
    };
    const press = (event: KeyboardEvent) => {
      const all = stops();
      const index = all.indexOf(document.activeElement as HTMLElement);
      if (index < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = steps[event.key];
      const ends: Record<string, number> = { Home: 0, End: all.length - 1 };
      const next = step === undefined ? ends[event.key] : (index + step + all.length) % all.length;
      if (next === undefined) return;
      event.preventDefault();
      all[next]?.focus();
    };
    // Parts of the sidebar load later, and the open page changes.
    const changes = new MutationObserver(reset);
    changes.observe(box, { childList: true, subtree: true, attributes: true, attributeFilter: ['aria-current'] });
    box.addEventListener('focusin', enter);
    box.addEventListener('keydown', press);
    reset();
    return () => {
      changes.disconnect();
      box.removeEventListener('focusin', enter);
      box.removeEventListener('keydown', press);
    };
  }, []);
  return area;
};
