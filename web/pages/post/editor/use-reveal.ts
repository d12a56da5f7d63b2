import { useEffect, useState } from 'react';

/** A field of the editor that a check can lead to. */
export interface Place {
  /** Account whose version it is in; undefined on the original. */
  readonly version?: string | undefined;
  readonly field: string;
}

export const fields = {
  accounts: 'editor-accounts',
  body: (item: number) => `editor-item-${item}`,
  media: (item: number) => `editor-media-${item}`,
  file: (item: number, file: number) => `editor-file-${item}-${file}`,
  option: (key: string) => `editor-option-${key}`,
};

/** Opens the version of a place, then puts the focus into its field. */
export const useReveal = (version: string | undefined, open: (version: string | undefined) => void) => {
  const [wanted, setWanted] = useState<Place>();
  useEffect(() => {
    if (wanted === undefined || wanted.version !== version) return;
    setWanted(undefined);
    // The options of a network are shown when they are asked for, which takes a turn.
    window.dispatchEvent(new CustomEvent('editor-reveal', { detail: wanted.field }));
    requestAnimationFrame(() => {
      const field = document.getElementById(wanted.field);
      field?.scrollIntoView({ block: 'center' });
      field?.focus({ preventScroll: true });
    });
  }, [wanted, version]);
  return (place: Place) => {
    setWanted(place);
    if (place.version !== version) open(place.version);
  };
};
