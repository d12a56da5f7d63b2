import { type RefObject, useRef } from 'react';

/** A shorter movement is a tap, or a scroll that was not quite vertical. */
const minDistance = 96;

/** A sideways swipe of a finger. The element follows it; `touch-action: pan-y` leaves scrolling to the browser. */
export const useSwipe = (acts: RefObject<{ left: () => void; right: () => void } | undefined>) => {
  const start = useRef<{ x: number; y: number } | undefined>(undefined);
  const follow = (element: HTMLElement, x: number) => {
    element.style.transform = x === 0 ? '' : `translateX(${x}px)`;
  };
  return {
    onPointerDown: (event: React.PointerEvent<HTMLElement>) => {
      if (event.pointerType === 'mouse' || isInScroller(event.target as Element, event.currentTarget)) return;
      start.current = { x: event.clientX, y: event.clientY };
    },
    onPointerMove: (event: React.PointerEvent<HTMLElement>) => {
      if (start.current === undefined) return;
      const [x, y] = [event.clientX - start.current.x, event.clientY - start.current.y];
      if (Math.abs(x) > Math.abs(y)) follow(event.currentTarget, x);
    },
    onPointerUp: (event: React.PointerEvent<HTMLElement>) => {
      if (start.current === undefined) return;
      const x = event.clientX - start.current.x;
      start.current = undefined;
      follow(event.currentTarget, 0);
      if (x > minDistance) acts.current?.right();
      if (x < -minDistance) acts.current?.left();
    },
    onPointerCancel: (event: React.PointerEvent<HTMLElement>) => {
      start.current = undefined;
      follow(event.currentTarget, 0);
    },
  };
};

/** Rows of pictures and previews scroll sideways themselves. */
const isInScroller = (target: Element, within: Element) => {
  for (let one: Element | null = target; one && one !== within; one = one.parentElement) {
    if (one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible') return true;
  }
  return false;
};
