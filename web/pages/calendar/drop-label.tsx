import { useRef, useState } from 'react';
import { formatDateTime, instantOf } from '#web/parts/time.ts';
import styles from './grid.module.css';
import { isPast, passedMessage } from './use-moves.ts';

/** Shows beside the pointer where a dragged card would land. */
export const DropLabel = ({ zone, children }: { zone: string; children: React.ReactNode }) => {
  const area = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<{ x: number; y: number; at: string }>();
  const clear = () => setPlace(undefined);
  const updatePlace = ({ clientX: x, clientY: y }: React.DragEvent) => {
    // The grid marks the drop target after this event.
    requestAnimationFrame(() => {
      const slot = area.current?.querySelector<HTMLElement>('[data-drop-target]')?.dataset.slot;
      setPlace(slot === undefined ? undefined : { x, y, at: instantOf(slot, zone) });
    });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only observes
    <div
      ref={area}
      className={styles.watch}
      onDragOver={updatePlace}
      onDrop={clear}
      onDragLeave={clear}
      onDragEnd={clear}
    >
      {children}
      {place && (
        <div className={styles.label} style={{ left: place.x + 14, top: place.y + 18 }} aria-hidden="true">
          {isPast(place.at) ? passedMessage : `Drop: ${formatDateTime(place.at, zone)}`} <span>Esc to cancel</span>
        </div>
      )}
    </div>
  );
};
