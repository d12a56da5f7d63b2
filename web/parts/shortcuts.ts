import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isTyping } from './is-typing.ts';
import { togglePalette } from './palette-store.ts';
import { useProfile } from './profile.ts';

/** Single keys can be switched off in the profile (WCAG 2.1.4). */
export const useShortcutsOn = () => useProfile().shortcuts;

const places = {
  h: '/',
  p: '/posts',
  c: '/calendar',
  a: '/approvals',
  m: '/media',
  l: '/analytics',
  s: '/settings/workspace',
} as const;
const sequenceMs = 1500;

/** The search field of the page, else the palette. */
const focusSearch = () => {
  const fields = [...document.querySelectorAll<HTMLInputElement>('main [data-search]')];
  const visible = fields.find((field) => field.checkVisibility());
  if (visible === undefined) return togglePalette();
  visible.focus();
  visible.select();
};

/** Works in text fields and when single-key shortcuts are off. */
const usePaletteKey = () => {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isKey = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey);
      if (!isKey || event.shiftKey || event.altKey || event.repeat) return;
      event.preventDefault();
      togglePalette();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
};

export const useGlobalShortcuts = ({ canWrite, onHelp }: { canWrite: boolean; onHelp: () => void }) => {
  const navigate = useNavigate();
  const areShortcutsOn = useShortcutsOn();
  usePaletteKey();
  useEffect(() => {
    if (!areShortcutsOn) return;
    let prefixAt = Number.NEGATIVE_INFINITY;
    const press = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
      const key = event.key.toLowerCase();
      const place = places[key as keyof typeof places];
      if (performance.now() - prefixAt < sequenceMs && place) void navigate({ to: place });
      else if (key === 'c' && canWrite) void navigate({ to: '/posts/$id', params: { id: 'new' } });
      else if (key === '/') focusSearch();
      else if (key === '?') onHelp();
      else {
        prefixAt = key === 'g' ? performance.now() : Number.NEGATIVE_INFINITY;
        return;
      }
      prefixAt = Number.NEGATIVE_INFINITY;
      event.preventDefault();
      // Keep list shortcuts (J, K) from handling it too.
      event.stopImmediatePropagation();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, [areShortcutsOn, canWrite, onHelp, navigate]);
};
