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

let asked = 0;
let offered: readonly PaletteCommand[] = [];
const listeners = new Set<() => void>();
const subscribe = (hear: () => void) => {
  listeners.add(hear);
  return () => listeners.delete(hear);
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
/** Gives up if the palette fails to load. */
const longestMs = 5000;

/** Called when the palette opens or closes. Returns what was typed while it loaded. */
export const setPaletteShown = (shown: boolean) => {
  const meanwhile = typed;
  isShown = shown;
  typed = '';
  stopCollecting();
  return meanwhile;
};

/** Toggles the palette. */
export const togglePalette = () => {
  asked += 1;
  typed = '';
  if (!isShown) {
    window.addEventListener('keydown', collect, { capture: true });
    setTimeout(stopCollecting, longestMs);
  }
  for (const hear of listeners) hear();
};

/** Number of calls. The palette is loaded with the first one. */
export const usePaletteCalls = () => useSyncExternalStore(subscribe, () => asked);

/** Registers the commands of the open page. */
export const usePageCommands = (acts: readonly PaletteCommand[]) => {
  useEffect(() => {
    offered = acts;
    return () => {
      offered = [];
    };
  });
};
export const pageCommands = () => offered;
