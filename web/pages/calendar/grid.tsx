import '@mantine/schedule/styles.layer.css';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { MonthView, type ScheduleEventData } from '@mantine/schedule';
import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { formatDateTime, instantOf, now, wallTime } from '#web/parts/time.ts';
import { useNow } from '#web/parts/use-now.ts';
import { usePermissions, useZone } from '#web/session.ts';
import { useNewPost } from '#web/shell/shell.tsx';
import { Block, type BlockProps } from './block.tsx';
import { todayIn, type View } from './dates.ts';
import { draftType } from './drafts-tray.tsx';
import { DropLabel } from './drop-label.tsx';
import styles from './grid.module.css';
import { canDragEvent, type GridHandlers, Hours } from './hours.tsx';
import type { Choosing } from './time-dialog.tsx';
import type { GoodTime } from './use-best-times.ts';
import { monthEvents, type Payload, rowsOfMonth, useHourEvents } from './use-events.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';
import { isPast, type Moves, showPassed } from './use-moves.ts';

const morning = '09:00:00';

/** All times here are wall times in the person's zone, never in the browser's. */
export const Grid = ({
  view,
  date,
  items,
  times,
  slots,
  moves,
  onChoose,
  onDraft,
  onView,
}: {
  view: Exclude<View, 'agenda'>;
  date: string;
  items: readonly Item[];
  times: readonly GoodTime[];
  slots: readonly FreeSlot[];
  moves: Moves;
  onChoose: (choosing: Choosing) => void;
  /** A draft from the tray was dropped. */
  onDraft: (id: string, at: string) => void;
  onView: (view: View, date: string) => void;
}) => {
  const zone = useZone();
  const { canWrite } = usePermissions();
  const newPost = useNewPost();
  const { ref, height } = useElementSize();
  useNow();
  const area = useRef<HTMLDivElement>(null);
  // The library's aria-label differs from the visible text of a day.
  useEffect(() => {
    for (const day of area.current?.querySelectorAll('.mantine-WeekView-weekViewDayLabel') ?? []) {
      day.removeAttribute('aria-label');
    }
  });
  const today = todayIn(zone);
  const present = wallTime(now(), zone);
  const events = useHourEvents(items, times, slots, view === 'week');

  const writeAt = (wall: string) => {
    const at = instantOf(wall, zone);
    if (isPast(at)) showPassed();
    else void newPost(at);
  };
  const drop = (wall: string, { payload }: ScheduleEventData) => {
    const { item } = payload as Extract<Payload, { is: 'post' }>;
    const at = instantOf(wall, zone);
    if (Date.parse(at) !== Date.parse(item.at)) void moves.move(item.post, at);
  };
  const dropDraft = (transfer: DataTransfer, wall: string) => {
    const id = transfer.getData(draftType);
    const at = instantOf(wall, zone);
    if (id === '') return;
    if (isPast(at)) showPassed();
    else onDraft(id, at);
  };
  const shared = {
    withHeader: false,
    mode: canWrite ? ('default' as const) : ('static' as const),
    withEventsDragAndDrop: canWrite,
    canDragEvent,
    renderEvent: (event: ScheduleEventData, props: BlockProps) => (
      <Block
        key={event.id}
        payload={event.payload as Payload}
        id={event.id}
        props={props}
        onChoose={onChoose}
        onView={onView}
        isLine
      />
    ),
  };
  const handlers = useRef<GridHandlers>(null);
  useEffect(() => {
    handlers.current = { writeAt, drop, dropDraft, onChoose, onView };
  });
  const minute = present.slice(0, 16);
  const hoursProps = useMemo(
    () =>
      view === 'month' || height === 0 ? undefined : { view, date, events, height, minute, isToday: date === today },
    [view, date, events, height, minute, today],
  );
  // Rendering hundreds of slots is slow, so it must be interruptible.
  const deferredProps = useDeferredValue(hoursProps, undefined);
  return (
    <div ref={useMergedRef(ref, area)} className={styles.grid} data-view={view}>
      <DropLabel zone={zone}>
        {view !== 'month' && deferredProps && (
          <Hours {...deferredProps} zone={zone} canWrite={canWrite} handlers={handlers} />
        )}
        {view === 'month' && (
          <MonthView
            {...shared}
            date={date}
            events={monthEvents(items)}
            radius={0}
            consistentWeeks={false}
            highlightToday={false}
            maxEventsPerDay={rowsOfMonth}
            scrollAreaProps={{ h: Math.max(height, 200), type: 'scroll' }}
            getDayProps={(day) => ({
              'data-slot': `${day} ${morning}`,
              'data-present': day === today || undefined,
              'aria-label': `${day < today ? 'Open' : 'Write for'} ${formatDateTime(instantOf(`${day} ${morning}`, zone), zone)}`,
            })}
            onDayClick={(day) =>
              day < today ? onView('day', day) : writeAt(`${day} ${day === today ? laterToday(present) : morning}`)
            }
            onEventDrop={({ newStart, event }) => {
              const { item } = event.payload as Extract<Payload, { is: 'post' }>;
              drop(`${newStart.slice(0, 10)} ${item.wall.slice(11)}`, event);
            }}
            {...(canWrite && {
              onExternalEventDrop: (transfer: DataTransfer, wall: string) =>
                dropDraft(transfer, `${wall.slice(0, 10)} ${morning}`),
            })}
          />
        )}
      </DropLabel>
    </div>
  );
};

/** The next full hour, or 23:59. */
const laterToday = (present: string) => {
  const hour = Number(present.slice(11, 13)) + 1;
  return hour > 23 ? '23:59:00' : `${String(hour).padStart(2, '0')}:00:00`;
};
