import { type RefObject, useEffect, useState } from 'react';
import styles from './rail-tip.module.css';

interface Tip {
  readonly label: string;
  readonly top: number;
}

/** Names the icon under the pointer or in focus while the sidebar is a rail. Its link has the name for screen readers. */
export const RailTip = ({ area }: { area: RefObject<HTMLElement | null> }) => {
  const [tip, setTip] = useState<Tip>();
  useEffect(() => {
    const box = area.current;
    if (box === null) return;
    const hide = () => setTip(undefined);
    const show = ({ target }: Event) => {
      const named = target instanceof Element ? target.closest<HTMLElement>('[data-tip]') : null;
      if (named === null) return hide();
      const { top, height } = named.getBoundingClientRect();
      setTip({ label: named.dataset.tip ?? '', top: top + height / 2 });
    };
    const showFocused = (event: FocusEvent) => {
      if (event.target instanceof Element && event.target.matches(':focus-visible')) show(event);
    };
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') hide();
    };
    const events: [keyof HTMLElementEventMap, EventListener][] = [
      ['pointerover', show],
      ['pointerleave', hide],
      ['click', hide],
      ['focusin', showFocused as EventListener],
      ['focusout', hide],
    ];
    for (const [name, listener] of events) box.addEventListener(name, listener);
    window.addEventListener('keydown', press);
    return () => {
      for (const [name, listener] of events) box.removeEventListener(name, listener);
      window.removeEventListener('keydown', press);
    };
  }, [area]);
  return tip === undefined ? null : (
    <span className={styles.tip} style={{ top: tip.top }} aria-hidden="true">
      {tip.label}
    </span>
  );
};
