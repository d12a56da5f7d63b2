import { useEffect, useState } from 'react';
import { isTyping } from './is-typing.ts';

/** Files dropped on the page or pasted outside of fields. Returns whether files are dragged over it. */
export const useDrop = (enabled: boolean, onFiles: (files: readonly File[]) => void) => {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => {
    if (!enabled) return;
    const controller = new AbortController();
    const { signal } = controller;
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsOver(true);
    };
    window.addEventListener('dragenter', over, { signal });
    window.addEventListener('dragover', over, { signal });
    window.addEventListener(
      'dragleave',
      (event) => {
        // The pointer left the window, not just an element.
        if (event.relatedTarget === null) setIsOver(false);
      },
      { signal },
    );
    window.addEventListener(
      'drop',
      (event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setIsOver(false);
        onFiles([...(event.dataTransfer?.files ?? [])]);
      },
      { signal },
    );
    window.addEventListener(
      'paste',
      (event) => {
        const files = [...(event.clipboardData?.files ?? [])];
        if (files.length > 0 && !isTyping(event)) onFiles(files);
      },
      { signal },
    );
    return () => controller.abort();
  }, [enabled, onFiles]);
  return isOver;
};
