import { useEffect, useRef } from 'react';
import { isTyping } from '#web/parts/is-typing.ts';
import { useShortcutsOn } from '#web/parts/shortcuts.ts';

export const useCalendarKeys = (go: { back: () => void; on: () => void; today: () => void }) => {
  const isOn = useShortcutsOn();
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    if (!isOn) return;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      const { back, on, today } = latest.current;
      const act = { '[': back, ']': on, t: today, T: today }[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [isOn]);
};
