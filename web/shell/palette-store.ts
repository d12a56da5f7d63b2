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

/** Opens the palette, or closes it when it is open. */
export const callPalette = () => {
  asked += 1;
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
