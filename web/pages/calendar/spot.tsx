import { Link } from '@tanstack/react-router';
import { useZone } from '#web/base/session.ts';
import { instantOf } from '#web/base/time.ts';
import styles from './hours.module.css';
import type { GoodTime } from './use-best-times.ts';
import type { FreeSlot } from './use-free-slots.ts';

/** A time at which nothing is planned: a good one, or a free slot. */
export const Spot = ({
  time,
  slot,
  id,
  tabIndex,
}: {
  time?: GoodTime;
  slot?: FreeSlot;
  id: string;
  tabIndex: 0 | -1;
}) => {
  const zone = useZone();
  const wall = time?.wall ?? slot?.wall ?? '';
  const words = time ? (time.isGuess ? 'a guess' : 'best time') : slot?.isNext ? 'next free' : 'free';
  return (
    <Link
      to="/posts/$id"
      params={{ id: 'new' }}
      search={{ at: slot?.at ?? instantOf(wall, zone) }}
      className={styles.free}
      data-good={Boolean(time) || slot?.isNext || undefined}
      data-stop={id}
      data-wall={wall}
      draggable={false}
      tabIndex={tabIndex}
    >
      <span className="number">{wall.slice(11, 16)}</span> {words}
    </Link>
  );
};
