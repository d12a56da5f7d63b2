import type { LucideIcon } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';

export interface PaletteCommand {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Shortcut. */
  readonly keys?: string;
  /** Secondary text at the right. */
  readonly hint?: string;
  /** Additional search terms. */
  readonly words?: string;
  readonly run: () => unknown;
}

let callCount = 0;
let openPageCommands: readonly PaletteCommand[] = [];
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

let isShown = false;
let typed = '';

/** Keys typed while the palette loads go into its field, not to the shortcuts of the page. */
const collect = (event: KeyboardEvent) => {
  if (event.key === 'Escape') return stopCollecting();
  if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  typed += event.key;
};
const stopCollecting = () => window.removeEventListener('keydown', collect, { capture: true });
/** Stops collecting keys if the palette fails to load. */
const maxWaitMs = 5000;
let waiting: ReturnType<typeof setTimeout> | undefined;

/** Called when the palette opens or closes. Returns what was typed while it loaded. */
export const setPaletteShown = (shown: boolean) => {
  const meanwhile = typed;
  isShown = shown;
  typed = '';
  stopCollecting();
  return meanwhile;
};

export const togglePalette = () => {
  callCount += 1;
  typed = '';
  if (!isShown) {
    window.addEventListener('keydown', collect, { capture: true });
    clearTimeout(waiting);
    waiting = setTimeout(stopCollecting, maxWaitMs);
  }
  for (const listener of listeners) listener();
};

/** How often the palette was toggled. The first time loads it. */
export const usePaletteCalls = () => useSyncExternalStore(subscribe, () => callCount);

/** Registers the commands of the open page. */
export const usePageCommands = (commands: readonly PaletteCommand[]) => {
  useEffect(() => {
    openPageCommands = commands;
    return () => {
      openPageCommands = [];
    };
  });
};
export const pageCommands = () => openPageCommands;
