import { CalendarX2 } from 'lucide-react';
import { useState } from 'react';
import { useShortcutsOn } from '#web/parts/shortcuts.ts';
import { showToast } from '#web/parts/toasts.tsx';
import { neighbourOf } from './neighbour-of.ts';
import type { Choosing } from './time-dialog.tsx';
import type { Item } from './use-items.ts';

/**
 * Roving tabindex over all `[data-stop]` elements, which carry their wall time: one is a tab stop, arrow keys move to
 * the others, M moves the post.
 */
export const useCardKeys = (items: readonly Item[], onChoose: (choosing: Choosing) => void) => {
  const areShortcutsOn = useShortcutsOn();
  const [active, setActive] = useState<string>();
  const move = (id: string) => {
    const item = items.find(({ post }) => post.id === id);
    if (item === undefined) return;
    if (item.isMovable) onChoose({ post: item.post, at: item.at });
    else showToast({ id: 'calendar', text: 'This post cannot be moved.', icon: CalendarX2, tone: 'red' });
  };
  const areaProps: React.HTMLAttributes<HTMLElement> = {
    onFocus: ({ target }) => {
      const stop = target.closest<HTMLElement>('[data-stop]')?.dataset.stop;
      if (stop !== undefined) setActive(stop);
    },
    onKeyDown: (event) => {
      const here = (event.target as HTMLElement).closest<HTMLElement>('[data-stop]');
      if (here === null || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key.toLowerCase() === 'm' && areShortcutsOn) {
        event.preventDefault();
        return move(here.dataset.stop ?? '');
      }
      const stops = [...event.currentTarget.querySelectorAll<HTMLElement>('[data-stop]')];
      const next = neighbourOf(
        stops.map((stop) => stop.dataset.wall ?? ''),
        stops.indexOf(here),
        event.key,
      );
      if (next === undefined) return;
      event.preventDefault();
      const target = stops[next];
      (target?.matches('a, button') ? target : target?.querySelector<HTMLElement>('a, button'))?.focus();
    },
  };
  return {
    areaProps,
    /** The first id is the tab stop until one is focused, and again when that one is gone. */
    tabIndexOf: (id: string, ids: readonly string[]) =>
      id === (active !== undefined && ids.includes(active) ? active : ids[0]) ? 0 : -1,
  };
};
