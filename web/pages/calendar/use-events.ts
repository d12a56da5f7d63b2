import type { ScheduleEventData } from '@mantine/schedule';
import { useMemo } from 'react';
import { addMinutes } from './dates.ts';
import type { GoodTime } from './use-best-times.ts';
import type { FreeSlot } from './use-free-slots.ts';
import type { Item } from './use-items.ts';

export type Payload =
  | { is: 'post'; item: Item }
  | { is: 'more'; count: number; date: string }
  | { is: 'good'; time: GoodTime }
  | { is: 'slot'; slot: FreeSlot };

/** Just under an hour, so that hourly posts do not count as overlapping. */
const cardMinutes = 59;
const goodMinutes = 58;
const lastStart = '22:45:00';
const mostAtOnce = 3;
const mostPerDay = 3;

const block = (id: string, wall: string, minutes: number, payload: Payload): ScheduleEventData => {
  // Late cards move up so that they do not extend past midnight.
  const start = wall.slice(11) > lastStart ? `${wall.slice(0, 10)} ${lastStart}` : wall;
  return { id, title: '', start, end: addMinutes(start, minutes), color: 'gray', payload };
};

const postBlock = (item: Item) => block(item.post.id, item.wall, cardMinutes, { is: 'post', item });

/** Four or more posts at one time collapse into one card and `+3`. */
const hourEvents = (
  items: readonly Item[],
  times: readonly GoodTime[],
  slots: readonly FreeSlot[],
  isDense: boolean,
): ScheduleEventData[] => {
  const behind = (id: string, wall: string, payload: Payload): ScheduleEventData => ({
    ...block(id, wall, goodMinutes, payload),
    display: 'background',
  });
  const events: ScheduleEventData[] = [
    ...times.map((time) => behind(`good ${time.wall}`, time.wall, { is: 'good', time })),
    ...slots.map((slot) => behind(`slot ${slot.at}`, slot.wall, { is: 'slot', slot })),
  ];
  let rest = [...items];
  for (let first = rest[0]; first !== undefined; first = rest[0]) {
    const end = addMinutes(first.wall, cardMinutes);
    const date = first.wall.slice(0, 10);
    const together = rest.filter(({ wall }) => wall < end && wall.startsWith(date));
    rest = rest.filter((item) => !together.includes(item));
    const isCrowd = isDense && together.length > mostAtOnce;
    events.push(...(isCrowd ? together.slice(0, 1) : together).map(postBlock));
    if (isCrowd) {
      const more = { is: 'more', count: together.length - 1, date } as const;
      events.push(block(`more ${first.wall}`, first.wall, cardMinutes, more));
    }
  }
  return events;
};

/** Three posts a day, then `+3`. */
export const monthEvents = (items: readonly Item[]): ScheduleEventData[] =>
  [...Map.groupBy(items, ({ wall }) => wall.slice(0, 10))].flatMap(([date, ofDay]) => {
    const visible = ofDay.length > mostPerDay + 1 ? ofDay.slice(0, mostPerDay) : ofDay;
    const hidden = ofDay.length - visible.length;
    const more = { is: 'more', count: hidden, date } as const;
    return [
      ...visible.map(postBlock),
      ...(hidden > 0 ? [block(`more ${date}`, `${date} ${lastStart}`, cardMinutes, more)] : []),
    ];
  });

export const rowsOfMonth = mostPerDay + 1;

export const useHourEvents = (
  items: readonly Item[],
  times: readonly GoodTime[],
  slots: readonly FreeSlot[],
  isDense: boolean,
) =>
  // biome-ignore lint/correctness/useExhaustiveDependencies: times and slots are new arrays on every render
  useMemo(() => hourEvents(items, times, slots, isDense), [items, JSON.stringify([times, slots]), isDense]);
