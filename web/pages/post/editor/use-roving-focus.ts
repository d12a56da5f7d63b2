import { useRef, useState } from 'react';

/** One tab stop for a row of buttons; arrow keys, Home and End move inside. */
export const useRovingFocus = (count: number) => {
  const ref = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const at = Math.min(current, count - 1);
  return {
    ref,
    setCurrent,
    tabIndexOf: (index: number) => (index === at ? 0 : -1),
    onKeyDown: (event: React.KeyboardEvent) => {
      const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: count - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      ref.current?.querySelectorAll('button')[(to + count) % count]?.focus();
    },
  };
};
