import type { LucideIcon } from 'lucide-react';
import { useEffect, useSyncExternalStore } from 'react';

/** What the palette offers. */
export interface PaletteAct {
  readonly id: string;
  readonly label: string;
  readonly icon: LucideIcon;
  /** Its own keys, shown beside it. */
  readonly keys?: string;
  /** At the right, quiet. */
  readonly hint?: string;
  /** Other words that find it. */
  readonly words?: string;
  readonly run: () => unknown;
}

let asked = 0;
let offered: readonly PaletteAct[] = [];
const hearers = new Set<() => void>();
const subscribe = (hear: () => void) => {
  hearers.add(hear);
  return () => hearers.delete(hear);
};

let isShown = false;
let typed = '';

/** What is typed before its field is there belongs to the field, not to the shortcuts of the page. */
const collect = (event: KeyboardEvent) => {
  if (event.key === 'Escape') return stopCollecting();
  if (event.key.length > 1 || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  typed += event.key;
};
const stopCollecting = () => window.removeEventListener('keydown', collect, { capture: true });
/** A palette that does not come takes no keys. */
const longestMs = 5000;

/** The palette is there with its field, or is gone. Answers what was typed meanwhile. */
export const paletteIsShown = (shown: boolean) => {
  const meanwhile = typed;
  isShown = shown;
  typed = '';
  stopCollecting();
  return meanwhile;
};

/** Opens the palette, or closes it when it is open. */
export const callPalette = () => {
  asked += 1;
  typed = '';
  if (!isShown) {
    window.addEventListener('keydown', collect, { capture: true });
    setTimeout(stopCollecting, longestMs);
  }
  for (const hear of hearers) hear();
};

/** How often it was called: the palette itself comes with the first time. */
export const usePaletteCalls = () => useSyncExternalStore(subscribe, () => asked);

/** What the open page can do. */
export const useOffer = (acts: readonly PaletteAct[]) => {
  useEffect(() => {
    offered = acts;
    return () => {
      offered = [];
    };
  });
};
export const offeredActs = () => offered;
