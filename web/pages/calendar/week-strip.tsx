import { ActionIcon } from '@mantine/core';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useZone } from '#web/base/session.ts';
import { count } from '#web/parts/number.ts';
import styles from './agenda.module.css';
import { dayName, letterOf, stepOf, todayIn } from './dates.ts';
import { StateDots } from './state-dots.tsx';
import type { Item } from './use-items.ts';

export const WeekStrip = ({
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
  return (
    <nav className={styles.strip} aria-label="Days of the week">
      <ActionIcon size={32} aria-label="Week before" onClick={() => onDate(stepOf('week', date, -1))}>
        <ChevronLeft size={18} aria-hidden="true" />
      </ActionIcon>
      {days.map((day) => {
        const posts = items.filter(({ wall }) => wall.startsWith(day));
        return (
          <button
            key={day}
            type="button"
            className={styles.stripDay}
            aria-current={day === date ? 'date' : undefined}
            onClick={() => onDate(day)}
          >
            <span className="hidden">
              {dayName(day, today)}
              {isLoaded && `, ${count(posts.length, 'post')}`}
            </span>
            <span aria-hidden="true">{letterOf(day)}</span>
            <strong className="number" data-today={day === today || undefined} aria-hidden="true">
              {Number(day.slice(8))}
            </strong>
            <StateDots items={posts} />
          </button>
        );
      })}
      <ActionIcon size={32} aria-label="Week after" onClick={() => onDate(stepOf('week', date, 1))}>
        <ChevronRight size={18} aria-hidden="true" />
      </ActionIcon>
    </nav>
  );
};
