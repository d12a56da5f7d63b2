import { ChevronsDownUp, ChevronsUpDown } from 'lucide-react';
import { memo, useLayoutEffect, useRef, useState } from 'react';
import { count } from '#web/parts/number.ts';
import { arrangeDay, type Crowd, type Placed, type Timed } from './arrange-day.ts';
import { dayName, shortWeekday, type View } from './dates.ts';
import { type Busy, foldHours, nameRun, offsetOf, openHours, type Run } from './fold-hours.ts';
import styles from './hours.module.css';
import { PostCard } from './post-card.tsx';
import { SkeletonCards } from './skeleton-cards.tsx';
import { Spot } from './spot.tsx';
import type { Choosing } from './time-dialog.tsx';
import type { GoodTime } from './use-best-times.ts';
import type { useCardKeys } from './use-card-keys.ts';
import type { Drag } from './use-drag.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';

/** In rem, as in the style sheet. */
const sizes = { head: 2.75, minHour: 3, maxHour: 6, band: 1.75, card: 5.25, spot: 2.5 };
const cardMinutes = (sizes.card / sizes.minHour) * 60;
const spotMinutes = 48;

type Entry = Timed & { wall: string } & ({ item: Item } | { time: GoodTime } | { slot: FreeSlot });

const minuteOf = (wall: string) => Number(wall.slice(11, 13)) * 60 + Number(wall.slice(14, 16));

/** Bands that are open although nothing is planned in them. */
export const useOpenBands = (range: string) => {
  const [{ range: of, byPerson, byDrag }, setBands] = useState({
    range,
    byPerson: [] as readonly number[],
    byDrag: [] as readonly number[],
  });
  const isCurrent = of === range;
  const [pinned, dragged] = isCurrent ? [byPerson, byDrag] : [[], []];
  return {
    opened: new Set([...pinned, ...dragged]),
    toggle: (from: number) =>
      setBands({
        range,
        byPerson: pinned.includes(from) ? pinned.filter((one) => one !== from) : [...pinned, from],
        byDrag: [],
      }),
    openForDrag: (from: number) => {
      if (!dragged.includes(from)) setBands({ range, byPerson: pinned, byDrag: [...dragged, from] });
    },
    endDrag: () => {
      if (dragged.length > 0) setBands({ range, byPerson: pinned, byDrag: [] });
    },
  };
};

/** Days side by side, hour by hour. All times are wall times in the person's zone. */
export const Hours = ({
  days,
  items,
  times,
  slots,
  today,
  minute,
  height,
  isNarrow,
  isLoading,
  isLoaded,
  bands,
  drag,
  keys,
  onChoose,
  onView,
}: {
  days: readonly string[];
  items: readonly Item[];
  times: readonly GoodTime[];
  slots: readonly FreeSlot[];
  today: string;
  /** Current wall time: `2026-11-19 08:30` */
  minute: string;
  /** Height of the calendar grid, in rem. */
  height: number;
  isNarrow: boolean;
  isLoading: boolean;
  isLoaded: boolean;
  bands: ReturnType<typeof useOpenBands>;
  drag: Drag;
  keys: ReturnType<typeof useCardKeys>;
  onChoose: (choosing: Choosing) => void;
  onView: (view: View, date: string) => void;
}) => {
  const busy: Busy[] = [
    ...items.map(({ wall }) => ({ from: minuteOf(wall), to: minuteOf(wall) + cardMinutes })),
    ...[...times, ...slots].map(({ wall }) => ({ from: minuteOf(wall), to: minuteOf(wall) + spotMinutes })),
  ];
  const runs = foldHours(busy, bands.opened);
  const hours = openHours(runs);
  const folded = runs.filter(({ isFolded }) => isFolded);
  const room = height - sizes.head - folded.length * sizes.band;
  const hour = Math.min(sizes.maxHour, Math.max(sizes.minHour, Math.floor((room / hours.length) * 16) / 16));
  const total = hours.length * hour + folded.length * sizes.band;
  const topOf = (at: number) => {
    const { hours: open, bands: closed } = offsetOf(runs, at);
    return open * hour + closed * sizes.band;
  };
  const isWeek = days.length > 1;
  const mostAtOnce = isWeek ? (isNarrow ? 2 : 3) : isNarrow ? 5 : 8;
  const place = (at: number, size: number) => ({ top: `${Math.min(topOf(at), total - size)}rem` });
  const timed = (wall: string, size: number) => ({ wall, minute: minuteOf(wall), minutes: (size / hour) * 60 });
  const posts = items.map((item): Entry => ({ item, ...timed(item.wall, sizes.card) }));
  const spots = [
    ...times.map((time): Entry => ({ time, ...timed(time.wall, sizes.spot) })),
    ...slots.map((slot): Entry => ({ slot, ...timed(slot.wall, sizes.spot) })),
  ].sort((a, b) => a.wall.localeCompare(b.wall));
  const arranged = days.map((day) => {
    const [postsOfDay, spotsOfDay] = [posts, spots].map((all) => all.filter(({ wall }) => wall.startsWith(day)));
    return arrangeDay<Entry>(postsOfDay ?? [], spotsOfDay ?? [], mostAtOnce, isWeek ? 1 : mostAtOnce - 1);
  });
  const stops = stopsOf(arranged.flat());
  const target = drag.place?.wall;
  const style = { '--hour': `${hour}rem`, '--days': days.length } as React.CSSProperties;
  const scroller = useRef<HTMLDivElement>(null);
  const isMeasured = height > 0;
  const firstShown = firstHour(today, days, minute);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only other days scroll; new rows must not move the page
  useLayoutEffect(() => {
    const top = (topOf(firstShown * 60 - 10) / total) * (scroller.current?.scrollHeight ?? 0);
    if (isMeasured && !isLoading) scroller.current?.scrollTo({ top });
  }, [days, isMeasured, isLoading]);
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      style={style}
      data-dragging-any={drag.id !== undefined || undefined}
    >
      <div className={styles.head}>
        <span />
        {days.map((day) => {
          const posts = items.filter(({ wall }) => wall.startsWith(day)).length;
          return (
            <button
              key={day}
              type="button"
              className={styles.day}
              data-today={day === today || undefined}
              data-weekend={isWeekend(day) || undefined}
              aria-current={day === today ? 'date' : undefined}
              disabled={!isWeek}
              onClick={() => onView('day', day)}
            >
              <span aria-hidden="true">{shortWeekday(day)}</span>
              <strong aria-hidden="true">{Number(day.slice(8))}</strong>
              <span className="hidden">
                {dayName(day, today)}
                {isLoaded && `, ${count(posts, 'post')}`}
              </span>
              {posts > 0 && (
                <span className={styles.count} aria-hidden="true">
                  {posts} <span className={styles.word}>{posts === 1 ? 'post' : 'posts'}</span>
                </span>
              )}
            </button>
          );
        })}
      </div>
      {/* Remount when posts change the folding: new elements cannot jump. Not when a band opens: it may be a drag. */}
      <div key={JSON.stringify(foldHours(busy))} className={styles.body} style={{ height: `${total}rem` }}>
        <HourLabels runs={runs} topOf={topOf} />
        {days.map((day, index) => (
          <div key={day} className={styles.column} data-weekend={isWeekend(day) || undefined}>
            <Slots day={day} runs={JSON.stringify(runs)} past={pastOf(day, today, minute)} />
            {target?.startsWith(day) && (
              <i
                className={styles.target}
                data-past={target < minute || undefined}
                style={place(minuteOf(target), sizes.card)}
              />
            )}
            <DayEntries
              day={day}
              entries={arranged[index] ?? []}
              place={place}
              isWeek={isWeek}
              stops={stops}
              drag={drag}
              keys={keys}
              onChoose={onChoose}
              onView={onView}
            />
            {day === today && <i className={styles.now} style={{ top: `${topOf(minuteOf(minute))}rem` }} />}
          </div>
        ))}
        {folded.map((run) => (
          <Band key={run.from} run={run} top={topOf(run.from * 60)} onOpen={() => bands.toggle(run.from)} />
        ))}
        {runs
          .filter(({ from, isFolded }) => !isFolded && bands.opened.has(from))
          .map((run) => (
            <button
              key={run.from}
              type="button"
              className={styles.refold}
              style={{ top: `${topOf(run.from * 60)}rem` }}
              aria-label={`Fold ${nameRun(run)}`}
              onClick={() => bands.toggle(run.from)}
            >
              <ChevronsDownUp size={14} aria-hidden="true" />
            </button>
          ))}
        {days.includes(today) && (
          <span className={styles.nowLabel} style={{ top: `${topOf(minuteOf(minute))}rem` }} aria-hidden="true">
            {minute.slice(11, 16)}
          </span>
        )}
        {isLoading && <SkeletonCards columns={days.length} hour={hour} />}
      </div>
    </div>
  );
};

/** Ids in the order of the page, for the roving tabindex. */
const stopsOf = (shown: readonly Placed<Entry | Crowd<Entry>>[]) =>
  shown
    .flatMap(({ entry }) => ('rest' in entry ? [] : [entry]))
    .sort((a, b) => a.wall.localeCompare(b.wall))
    .map(idOf);

const idOf = (entry: Entry) => ('item' in entry ? entry.item.post.id : `spot ${entry.wall}`);

const DayEntries = ({
  day,
  entries,
  place,
  isWeek,
  stops,
  drag,
  keys,
  onChoose,
  onView,
}: {
  day: string;
  entries: readonly Placed<Entry | Crowd<Entry>>[];
  place: (minute: number, size: number) => React.CSSProperties;
  isWeek: boolean;
  stops: readonly string[];
  drag: Drag;
  keys: ReturnType<typeof useCardKeys>;
  onChoose: (choosing: Choosing) => void;
  onView: (view: View, date: string) => void;
}) => {
  /** Shows the posts of a crowd one by one. */
  const wider = isWeek ? 'day' : 'agenda';
  return entries.map(({ entry, lane, lanes }) => {
    const isSpot = 'time' in entry || 'slot' in entry;
    const style = {
      ...place(entry.minute, isSpot ? sizes.spot : sizes.card),
      left: `${(lane / lanes) * 100}%`,
      width: `${100 / lanes}%`,
    };
    if ('rest' in entry) {
      const wall = entry.rest[0]?.wall ?? day;
      return (
        <div key={`more ${wall}`} className={styles.block} style={style} data-stop={`more ${wall}`} data-wall={wall}>
          <button
            type="button"
            className={styles.more}
            aria-label={`+${entry.rest.length} more, open the ${wider}`}
            onClick={() => onView(wider, day)}
          >
            +{entry.rest.length}
          </button>
        </div>
      );
    }
    const id = idOf(entry);
    if (!('item' in entry)) {
      return (
        <div key={id} className={styles.spot} style={style}>
          <Spot {...entry} id={id} tabIndex={keys.tabIndexOf(id, stops)} />
        </div>
      );
    }
    const { item } = entry;
    return (
      <div
        key={id}
        className={styles.block}
        style={style}
        data-event-id={id}
        data-stop={id}
        data-wall={item.wall}
        data-dragging={drag.id === id || undefined}
        {...drag.sourceProps(item)}
      >
        <PostCard item={item} onChoose={onChoose} tabIndex={keys.tabIndexOf(id, stops)} />
      </div>
    );
  });
};

const Band = ({ run, top, onOpen }: { run: Run; top: number; onOpen: () => void }) => (
  <button
    type="button"
    className={styles.band}
    style={{ top: `${top}rem` }}
    data-fold={run.from}
    aria-expanded="false"
    onClick={onOpen}
  >
    <ChevronsUpDown size={14} aria-hidden="true" />
    <span>{nameRun(run)}, nothing planned</span>
  </button>
);

const HourLabels = ({ runs, topOf }: { runs: readonly Run[]; topOf: (minute: number) => number }) => (
  <div className={styles.labels} aria-hidden="true">
    {openHours(runs)
      .filter((hour) => hour > 0)
      .map((hour) => (
        <span
          key={hour}
          data-below-band={runs.some(({ to, isFolded }) => isFolded && to === hour) || undefined}
          style={{ top: `${topOf(hour * 60)}rem` }}
        >
          {String(hour).padStart(2, '0')}:00
        </span>
      ))}
  </div>
);

/** Half hours as click and drop targets. Memoized, as there are hundreds; `runs` is JSON, so memo can compare it. */
const Slots = memo(({ day, runs, past }: { day: string; runs: string; past: string }) =>
  (JSON.parse(runs) as Run[]).map((run) =>
    run.isFolded ? (
      <i key={run.from} className={styles.gap} />
    ) : (
      openHours([run]).flatMap((hour) =>
        ['00', '30'].map((half) => {
          const slot = `${day} ${String(hour).padStart(2, '0')}:${half}:00`;
          return <i key={slot} className={styles.slot} data-slot={slot} data-past={slot < past || undefined} />;
        }),
      )
    ),
  ),
);

/** Slots that sort before this text are past, and so is the current half hour. `9`: the whole day; `0`: nothing. */
const pastOf = (day: string, today: string, minute: string) => {
  if (day !== today) return day < today ? '9' : '0';
  return `${minute.slice(0, 14)}${minute.slice(14, 16) < '30' ? '00' : '30'}:01`;
};

/** The first hour in view: 7, or two hours before now if that is earlier. */
const firstHour = (today: string, days: readonly string[], minute: string) =>
  days.includes(today) ? Math.max(0, Math.min(7, Number(minute.slice(11, 13)) - 2)) : 7;

const isWeekend = (day: string) => [0, 6].includes(new Date(`${day}T00:00:00Z`).getUTCDay());
