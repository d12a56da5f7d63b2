import { Link } from '@tanstack/react-router';
import { CalendarDays, Plus } from 'lucide-react';
import { useRef } from 'react';
import { useZone } from '#web/base/session.ts';
import { instantOf } from '#web/base/time.ts';
import { EmptyState } from '#web/parts/empty-state.tsx';
import { ListRow, useListKeys } from '#web/parts/list.tsx';
import { NetworkBadges } from '#web/parts/network-badge.tsx';
import { PostTitle } from '#web/parts/post-title.tsx';
import { SkeletonRows } from '#web/parts/skeleton-rows.tsx';
import { StateIcon } from '#web/parts/state-chip.tsx';
import { Thumbnail } from '#web/parts/thumbnail.tsx';
import { useAccounts } from '#web/parts/use-accounts.ts';
import styles from './agenda.module.css';
import { CardMenu } from './card-menu.tsx';
import { dayName, todayIn } from './dates.ts';
import type { Choosing } from './time-dialog.tsx';
import type { GoodTime } from './use-best-times.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';

export const Agenda = ({
  days,
  items,
  times,
  slots,
  isLoading,
  isLoaded,
  onChoose,
}: {
  days: readonly string[];
  items: readonly Item[];
  times: readonly GoodTime[];
  slots: readonly FreeSlot[];
  isLoading: boolean;
  /** Whether the items of all days have loaded. */
  isLoaded: boolean;
  onChoose: (choosing: Choosing) => void;
}) => {
  const zone = useZone();
  const today = todayIn(zone);
  const area = useRef<HTMLDivElement>(null);
  useListKeys(area);
  const full = days
    .map((day) => ({
      day,
      posts: items.filter(({ wall }) => wall.startsWith(day)),
      good: [
        ...times.map(({ wall, isGuess }) => ({
          wall,
          at: instantOf(wall, zone),
          words: isGuess ? 'is a guess at a good time' : 'is a good time',
          isQuiet: false,
        })),
        ...slots.map(({ wall, at, isNext }) => ({
          wall,
          at,
          words: isNext ? 'is the next free slot' : 'is a free slot',
          isQuiet: !isNext,
        })),
      ]
        .filter(({ wall }) => wall.startsWith(day))
        .sort((a, b) => a.wall.localeCompare(b.wall)),
    }))
    .filter(({ day, posts, good }) => posts.length + good.length > 0 || (isLoaded && day === today));
  if (isLoaded && full.every(({ posts, good }) => posts.length + good.length === 0)) {
    return (
      <EmptyState icon={CalendarDays} title="Nothing is planned here">
        Posts with a time appear here, day by day.
      </EmptyState>
    );
  }
  if (isLoading && items.length === 0) {
    return (
      <div className={styles.agenda}>
        <SkeletonRows rows={6} label="Loading the agenda" />
      </div>
    );
  }
  return (
    <div ref={area} className={styles.agenda}>
      {full.map(({ day, posts, good }) => (
        <section key={day} aria-label={dayName(day, today)}>
          <h2 className={styles.day}>{dayName(day, today)}</h2>
          <ul>
            {[...posts, ...good]
              .toSorted((a, b) => a.wall.localeCompare(b.wall))
              .map((row) =>
                'post' in row ? (
                  <AgendaRow key={row.post.id} item={row} onChoose={onChoose} />
                ) : (
                  <li key={`${row.at} ${row.words}`}>
                    <Link
                      to="/posts/$id"
                      params={{ id: 'new' }}
                      search={{ at: row.at }}
                      className={row.isQuiet ? `${styles.good} ${styles.quiet}` : styles.good}
                    >
                      <Plus size={16} aria-hidden="true" />
                      {row.wall.slice(11, 16)} {row.words}
                    </Link>
                  </li>
                ),
              )}
          </ul>
          {posts.length + good.length === 0 && <p className={styles.nothing}>Nothing goes out.</p>}
        </section>
      ))}
    </div>
  );
};

const AgendaRow = ({ item, onChoose }: { item: Item; onChoose: (choosing: Choosing) => void }) => {
  const { networksOf } = useAccounts();
  const { post, at, wall, state } = item;
  return (
    <ListRow
      id={post.id}
      link={{ to: '/posts/$id', params: { id: post.id } }}
      lead={<StateIcon state={state} />}
      title={<PostTitle text={post.text} />}
      note={
        <span className={styles.note}>
          <time dateTime={at}>{wall.slice(11, 16)}</time>
          <NetworkBadges networks={networksOf(post.accountIds)} size={16} />
        </span>
      }
      side={post.thumbnail && <Thumbnail {...post.thumbnail} size={40} />}
      menu={<CardMenu item={item} onChoose={onChoose} isTall />}
    />
  );
};
