import { useLayoutEffect, useRef, useState } from 'react';
import { usePermissions, useZone } from '#web/base/session.ts';
import { instantOf, now, wallTime } from '#web/base/time.ts';
import { useNow } from '#web/parts/use-now.ts';
import { useNewPost } from '#web/shell/shell.tsx';
import { titleOf, todayIn, type View } from './dates.ts';
import { DropLabel } from './drop-label.tsx';
import styles from './grid.module.css';
import { Hours, useOpenBands } from './hours.tsx';
import { Month } from './month.tsx';
import type { Choosing } from './time-dialog.tsx';
import type { GoodTime } from './use-best-times.ts';
import { useCardKeys } from './use-card-keys.ts';
import { useDrag } from './use-drag.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';
import { isPast, type Moves, showPassed } from './use-moves.ts';

/** All times here are wall times in the person's zone, never in the browser's. */
export const Grid = ({
  view,
  date,
  days,
  items,
  times,
  slots,
  moves,
  isLoading,
  isLoaded,
  onChoose,
  onDraft,
  onView,
}: {
  view: Exclude<View, 'agenda'>;
  date: string;
  days: readonly string[];
  items: readonly Item[];
  times: readonly GoodTime[];
  slots: readonly FreeSlot[];
  moves: Moves;
  isLoading: boolean;
  isLoaded: boolean;
  onChoose: (choosing: Choosing) => void;
  /** A draft from the tray was dropped. */
  onDraft: (id: string, at: string) => void;
  onView: (view: View, date: string) => void;
}) => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const newPost = useNewPost();
  const { ref, width, height } = useSize();
  useNow();
  const today = todayIn(zone);
  const present = wallTime(now(), zone);
  const bands = useOpenBands(days.join());
  const drag = useDrag({
    items,
    moves,
    isMonth: view === 'month',
    onDraft,
    onFold: bands.openForDrag,
    onEnd: bands.endDrag,
  });
  const keys = useCardKeys(items, onChoose);

  const writeAt = (wall: string) => {
    const at = instantOf(wall, zone);
    if (isPast(at)) showPassed();
    else void newPost(at);
  };
  const clickSlot = ({ target }: React.MouseEvent) => {
    const isControl = (target as HTMLElement).closest('a, button, [role="menu"]') !== null;
    const slot = isControl ? undefined : (target as HTMLElement).closest<HTMLElement>('[data-slot]')?.dataset.slot;
    if (slot === undefined) return;
    const day = slot.slice(0, 10);
    if (view !== 'month') writeAt(slot);
    else if (day < today) onView('day', day);
    else writeAt(day === today ? `${day} ${laterToday(present)}` : slot);
  };
  const shared = { days, items, today, isLoading, drag, keys, onChoose, onView };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out everywhere
    <div
      ref={ref}
      role="group"
      aria-label={titleOf(view, date)}
      aria-describedby="calendar-keys"
      aria-busy={isLoading}
      className={styles.grid}
      data-view={view}
      {...(canWrite && { ...drag.areaProps, onClick: clickSlot })}
      {...keys.areaProps}
    >
      <span id="calendar-keys" className="hidden">
        Arrow keys move between posts, Enter opens one, M moves it.
      </span>
      {height === 0 ? null : view === 'month' ? (
        <Month {...shared} slots={slots} canWrite={canWrite} month={date.slice(0, 7)} height={height / rem()} />
      ) : (
        <Hours
          isLoaded={isLoaded}
          {...shared}
          times={times}
          slots={slots}
          minute={present.slice(0, 16)}
          height={height / rem()}
          isNarrow={width / rem() < narrowest}
          bands={bands}
        />
      )}
      <DropLabel place={drag.place} />
    </div>
  );
};

/** In rem: in a narrower week, two posts at the same time fit side by side, but three do not. */
const narrowest = 60;

/** Measured before the first paint: with a height of 0 the cards would be painted in other places first. */
const useSize = () => {
  const ref = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return { ref, ...size };
};

/** Pixels of a rem, which follows the font size of the browser. */
const rem = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** The next full hour, or 23:59. */
const laterToday = (present: string) => {
  const hour = Number(present.slice(11, 13)) + 1;
  return hour > 23 ? '23:59:00' : `${String(hour).padStart(2, '0')}:00:00`;
};
