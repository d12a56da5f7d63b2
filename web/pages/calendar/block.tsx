import { Link } from '@tanstack/react-router';
import { instantOf } from '#web/parts/time.ts';
import { useZone } from '#web/session.ts';
import type { View } from './dates.ts';
import styles from './post-card.module.css';
import { PostCard } from './post-card.tsx';
import type { Choosing } from './time-dialog.tsx';
import type { Payload } from './use-events.ts';

export type BlockProps = React.ComponentPropsWithoutRef<'button'> & { mod?: unknown };

/** @mantine/schedule provides position and dragging; we render the content. */
export const Block = ({
  id,
  payload,
  props: { style, draggable, onDragStart, onDragEnd, mod },
  onChoose,
  onView,
  isLine,
}: {
  id: string | number;
  payload: Payload;
  props: BlockProps;
  onChoose: (choosing: Choosing) => void;
  onView: (view: View, date: string) => void;
  isLine: boolean;
}) => {
  const zone = useZone();
  if (payload.is === 'good') {
    const { wall, isGuess } = payload.time;
    return (
      <div className={styles.block} style={style}>
        <Link
          to="/posts/$id"
          params={{ id: 'new' }}
          search={{ at: instantOf(wall, zone) }}
          className={styles.good}
          draggable={false}
        >
          <span className="number">{wall.slice(11, 16)}</span>
          <span>{isGuess ? 'A guess' : 'Best time'}</span>
        </Link>
      </div>
    );
  }
  if (payload.is === 'slot') {
    const { at, wall, isNext } = payload.slot;
    return (
      <div className={styles.block} style={style}>
        <Link
          to="/posts/$id"
          params={{ id: 'new' }}
          search={{ at }}
          className={isNext ? styles.good : `${styles.good} ${styles.slot}`}
          draggable={false}
        >
          <span className="number">{wall.slice(11, 16)}</span>
          <span>{isNext ? 'Next free slot' : 'Free slot'}</span>
        </Link>
      </div>
    );
  }
  if (payload.is === 'more') {
    return (
      <div className={styles.block} style={style} data-line={isLine || undefined}>
        <button
          type="button"
          className={styles.more}
          aria-label={`+${payload.count} more, open the day`}
          onClick={() => onView('day', payload.date)}
        >
          +{payload.count}
        </button>
      </div>
    );
  }
  const [state] = (mod ?? []) as { dragging?: boolean; 'any-dragging'?: boolean }[];
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the card's menu does the same for the keyboard
    <div
      className={styles.block}
      style={style}
      data-event-id={id}
      data-line={isLine || undefined}
      data-dragging={state?.dragging || undefined}
      data-any-dragging={state?.['any-dragging'] || undefined}
      draggable={draggable}
      onDragStart={onDragStart as unknown as React.DragEventHandler<HTMLDivElement>}
      onDragEnd={onDragEnd as unknown as React.DragEventHandler<HTMLDivElement>}
    >
      <PostCard item={payload.item} onChoose={onChoose} isLine={isLine} />
    </div>
  );
};
