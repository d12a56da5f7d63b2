import { Plus } from 'lucide-react';
import { cellSizes, entriesInCell, minCellHeight } from './arrange-day.ts';
import { dayName, shortWeekday, type View } from './dates.ts';
import styles from './month.module.css';
import { PostCard } from './post-card.tsx';
import { useIsSlow } from './skeleton-cards.tsx';
import { Spot } from './spot.tsx';
import type { Choosing } from './time-dialog.tsx';
import type { useCardKeys } from './use-card-keys.ts';
import type { Drag } from './use-drag.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';

const morning = '09:00:00';
const headHeight = 1.875;

/** Whole weeks; a cell shows as many entries as fit. */
export const Month = ({
  days,
  month,
  items,
  slots,
  today,
  height,
  isLoading,
  canWrite,
  drag,
  keys,
  onChoose,
  onView,
}: {
  days: readonly string[];
  /** `2026-11`; other days are grey. */
  month: string;
  items: readonly Item[];
  slots: readonly FreeSlot[];
  today: string;
  /** Height of the calendar grid, in rem. */
  height: number;
  isLoading: boolean;
  canWrite: boolean;
  drag: Drag;
  keys: ReturnType<typeof useCardKeys>;
  onChoose: (choosing: Choosing) => void;
  onView: (view: View, date: string) => void;
}) => {
  const weeks = days.length / 7;
  const cell = Math.max(minCellHeight, (height - headHeight) / weeks);
  const byDay = Map.groupBy(items, ({ wall }) => wall.slice(0, 10));
  const shownOf = (day: string) => {
    const posts = byDay.get(day) ?? [];
    return posts.slice(0, entriesInCell(posts.length, cell));
  };
  /** Days with posts have no room for free slots. */
  const slotOf = (day: string) =>
    byDay.has(day) || isLoading ? undefined : slots.find(({ wall }) => wall.startsWith(day));
  const stops = days.flatMap((day) => {
    const slot = slotOf(day);
    return slot ? [spotId(slot)] : shownOf(day).map(({ post }) => post.id);
  });
  const isSlow = useIsSlow(isLoading);
  return (
    <div className={styles.scroller} data-dragging-any={drag.id !== undefined || undefined}>
      <div className={styles.head} aria-hidden="true">
        {days.slice(0, 7).map((day) => (
          <span key={day}>{shortWeekday(day)}</span>
        ))}
      </div>
      <div className={styles.month} style={{ gridAutoRows: `${cell}rem` }}>
        {days.map((day, index) => {
          const posts = byDay.get(day) ?? [];
          const shown = shownOf(day);
          const more = posts.length - shown.length;
          const slot = slotOf(day);
          return (
            <div
              key={day}
              className={styles.cell}
              data-slot={`${day} ${morning}`}
              data-past={day < today || undefined}
              data-weekend={index % 7 > 4 || undefined}
              data-target={drag.place?.wall.startsWith(day) || undefined}
            >
              <button
                type="button"
                className={styles.date}
                data-today={day === today || undefined}
                data-outside={!day.startsWith(month) || undefined}
                aria-current={day === today ? 'date' : undefined}
                aria-label={`${dayName(day, today)}, open the day`}
                onClick={() => onView('day', day)}
              >
                {Number(day.slice(8))}
              </button>
              {canWrite && day >= today && <Plus className={styles.plus} size={14} aria-hidden="true" />}
              {shown.map((item) => (
                <div
                  key={item.post.id}
                  className={styles.entry}
                  data-event-id={item.post.id}
                  data-stop={item.post.id}
                  data-wall={item.wall}
                  data-dragging={drag.id === item.post.id || undefined}
                  {...drag.sourceProps(item)}
                >
                  <PostCard item={item} onChoose={onChoose} isEntry tabIndex={keys.tabIndexOf(item.post.id, stops)} />
                </div>
              ))}
              {slot && (
                <div className={styles.spot}>
                  <Spot slot={slot} id={spotId(slot)} tabIndex={keys.tabIndexOf(spotId(slot), stops)} />
                </div>
              )}
              {more > 0 && (
                <button
                  type="button"
                  className={styles.more}
                  style={{ height: `${cellSizes.more}rem` }}
                  aria-label={`${more} more, open the day`}
                  onClick={() => onView('day', day)}
                >
                  {more} more
                </button>
              )}
              {isSlow && index % 3 === 0 && <i className={styles.skeleton} aria-hidden="true" />}
            </div>
          );
        })}
      </div>
    </div>
  );
};

const spotId = ({ wall }: FreeSlot) => `spot ${wall}`;
