import { DayView, type ScheduleEventData, WeekView } from '@mantine/schedule';
import { memo, useState } from 'react';
import { formatDay, instantOf, now, partsIn, wallTime } from '#web/parts/time.ts';
import { Block, type BlockProps } from './block.tsx';
import type { View } from './dates.ts';
import type { Choosing } from './time-dialog.tsx';
import type { Payload } from './use-events.ts';
import type { Item } from './use-items.ts';

/** Handlers are read from a ref, so that a new handler does not re-render the grid. */
export interface GridHandlers {
  writeAt: (wall: string) => void;
  drop: (wall: string, event: ScheduleEventData) => void;
  dropDraft: (transfer: DataTransfer, wall: string) => void;
  onChoose: (choosing: Choosing) => void;
  onView: (view: View, date: string) => void;
}

/** Memoized: rendering a week of slots is slow. */
export const Hours = memo(
  ({
    view,
    date,
    events,
    height,
    minute,
    isToday,
    zone,
    canWrite,
    handlers,
  }: {
    view: 'day' | 'week';
    date: string;
    events: ScheduleEventData[];
    height: number;
    /** Current wall time: `2026-11-19 08:30` */
    minute: string;
    isToday: boolean;
    zone: string;
    canWrite: boolean;
    handlers: React.RefObject<GridHandlers | null>;
  }) => {
    // Scroll only once.
    const [startScrollTime] = useState(() => firstShown(zone, isToday));
    const shared = {
      events,
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
          onChoose={(choosing) => handlers.current?.onChoose(choosing)}
          onView={(next, day) => handlers.current?.onView(next, day)}
          isLine={false}
        />
      ),
      slotHeight: 64,
      intervalMinutes: 30,
      withSubHourGridLines: false,
      startScrollTime,
      radius: 0,
      scrollAreaProps: { mah: Math.max(height, 200), type: 'scroll' as const },
      getCurrentTime: () => wallTime(now(), zone),
      getTimeSlotProps: ({ start }: { start: string }) => ({
        'data-slot': start,
        'data-past': start < minute || undefined,
        'aria-label': `Write for ${nameDay(start.slice(0, 10), zone)}, ${start.slice(11, 16)}`,
      }),
      onTimeSlotClick: ({ slotStart }: { slotStart: string }) => handlers.current?.writeAt(slotStart),
      onEventDrop: ({ newStart, event }: { newStart: string; event: ScheduleEventData }) =>
        handlers.current?.drop(newStart, event),
      ...(canWrite && {
        onExternalEventDrop: (transfer: DataTransfer, wall: string) => handlers.current?.dropDraft(transfer, wall),
      }),
    };
    return view === 'week' ? (
      <WeekView
        {...shared}
        date={date}
        withAllDaySlots={false}
        withWeekNumber={false}
        highlightToday
        onViewChange={() => undefined}
        onDateChange={(day) => handlers.current?.onView('day', day)}
      />
    ) : (
      <DayView {...shared} date={date} withAllDaySlot={false} withCurrentTimeIndicator={isToday} />
    );
  },
);

export const canDragEvent = ({ payload }: ScheduleEventData) =>
  payload?.is === 'post' && (payload as { item: Item }).item.isMovable;

/** Cache: a week has 336 slots but only seven day names. */
const dayNames = new Map<string, string>();

const nameDay = (date: string, zone: string) => {
  const key = `${zone} ${date}`;
  const cached = dayNames.get(key);
  if (cached !== undefined) return cached;
  const words = formatDay(instantOf(`${date} 12:00:00`, zone), zone);
  dayNames.set(key, words);
  return words;
};

/** 6:50, or an hour before now for someone who is up earlier today. */
const firstShown = (zone: string, isToday: boolean) => {
  const { hour } = partsIn(now(), zone);
  return isToday && hour < 8 ? `${String(Math.max(hour - 2, 0)).padStart(2, '0')}:50:00` : '06:50:00';
};
