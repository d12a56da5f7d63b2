import { ActionIcon } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useZone } from '#web/base/session.ts';
import { count } from '#web/parts/number.ts';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { dayName, letterOf, stepOf, titleOf, todayIn } from './dates.ts';
import styles from './phone-month.module.css';
import { StateDots } from './state-dots.tsx';
import type { Item } from './use-items.ts';

/** A month on a phone: one picture and the states of each day. The list below shows the chosen day. */
export const PhoneMonth = ({
  days,
  date,
  items,
  isLoaded,
  onDate,
}: {
  days: readonly string[];
  date: string;
  items: readonly Item[];
  isLoaded: boolean;
  onDate: (date: string) => void;
}) => {
  const today = todayIn(useZone());
  const byDay = Map.groupBy(items, ({ wall }) => wall.slice(0, 10));
  return (
    <section className={styles.month} aria-label={titleOf('month', date)}>
      <div className={styles.title}>
        <ActionIcon size={40} aria-label="Month before" onClick={() => onDate(stepOf('month', date, -1))}>
          <ChevronLeft size={18} aria-hidden="true" />
        </ActionIcon>
        <span aria-live="polite">{titleOf('month', date)}</span>
        <ActionIcon size={40} aria-label="Month after" onClick={() => onDate(stepOf('month', date, 1))}>
          <ChevronRight size={18} aria-hidden="true" />
        </ActionIcon>
      </div>
      <div className={styles.days}>
        {days.slice(0, 7).map((day) => (
          <span key={day} className={styles.letter} aria-hidden="true">
            {letterOf(day)}
          </span>
        ))}
        {days.map((day) => {
          const posts = byDay.get(day) ?? [];
          const picture = posts.find(({ post }) => post.thumbnail)?.post.thumbnail;
          return (
            <button
              key={day}
              type="button"
              className={styles.day}
              data-outside={!day.startsWith(date.slice(0, 7)) || undefined}
              aria-current={day === date ? 'date' : undefined}
              onClick={() => onDate(day)}
            >
              <span className="hidden">
                {dayName(day, today)}
                {isLoaded && `, ${count(posts.length, 'post')}`}
              </span>
              <strong className="number" data-today={day === today || undefined} aria-hidden="true">
                {Number(day.slice(8))}
              </strong>
              {picture ? <Thumbnail {...picture} size={26} /> : <span className={styles.noPicture} />}
              <StateDots items={posts} />
            </button>
          );
        })}
      </div>
    </section>
  );
};
