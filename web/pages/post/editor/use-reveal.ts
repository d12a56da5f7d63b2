import { useEffect, useState } from 'react';

export interface Place {
  /** Account whose version has the field; undefined for the original. */
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

const focusField = (id: string) => {
  const field = document.getElementById(id);
  field?.scrollIntoView({ block: 'center' });
  field?.focus({ preventScroll: true });
  // Select the excess text, so that it can be deleted or rewritten at once.
  const excess = field?.dataset.excessFrom;
  if (field instanceof HTMLTextAreaElement && excess) field.setSelectionRange(Number(excess), field.value.length);
};

/** Opens the version, then focuses the field. */
export const useReveal = (version: string | undefined, open: (version: string | undefined) => void) => {
  const [target, setTarget] = useState<Place>();
  useEffect(() => {
    if (target === undefined || target.version !== version) return;
    setTarget(undefined);
    // OptionsCard listens and renders the network's options, which takes a frame.
    window.dispatchEvent(new CustomEvent('editor-reveal', { detail: target.field }));
    requestAnimationFrame(() => focusField(target.field));
  }, [target, version]);
  return (place: Place) => {
    setTarget(place);
    if (place.version !== version) open(place.version);
  };
};
