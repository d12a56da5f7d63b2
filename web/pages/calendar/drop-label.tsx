import { useZone } from '#web/base/session.ts';
import { formatDateTime, instantOf } from '#web/base/time.ts';
import styles from './grid.module.css';
import type { Drag } from './use-drag.ts';
import { isPast, passedMessage } from './use-moves.ts';

/** Shows beside the pointer where a dragged card would land. */
export const DropLabel = ({ place }: Pick<Drag, 'place'>) => {
  const zone = useZone();
  if (!place) return null;
  const at = instantOf(place.wall, zone);
  return (
    <div className={styles.label} style={{ left: place.x + 14, top: place.y + 18 }} aria-hidden="true">
      {isPast(at) ? passedMessage : `Drop: ${formatDateTime(at, zone)}`} <span>Esc to cancel</span>
    </div>
  );
};
