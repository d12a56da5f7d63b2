import { useState } from 'react';
import { useZone } from '#web/base/session.ts';
import { addDays, clockChangeAt, dateIn, formatDateTime, instantOf, now, wallTime } from '#web/base/time.ts';
import { useNow } from '#web/parts/use-now.ts';
import { parseTime } from './parse-time.ts';

export type PickedTime = ReturnType<typeof useTimePicker>;

export const passedMessage = 'That time has passed. Choose a later one.';

export const isPast = (at: string) => Date.parse(at) <= now().getTime();

/** Tomorrow morning, when nothing better is known. */
const morning = (zone: string) => instantOf(`${addDays(dateIn(now(), zone), 1)} 09:00:00`, zone);

/**
 * The day, time and zone of a TimePicker. `initial` applies until the person picks a time, so it may arrive late.
 * `onPick` gets every complete time that has not passed.
 */
export const useTimePicker = ({
  initial,
  onPick,
}: {
  initial: string | undefined;
  onPick?: ((at: string) => void) | undefined;
}) => {
  const ownZone = useZone();
  useNow();
  const [zone, setZone] = useState(ownZone);
  const [own, setOwn] = useState<{ date: string; time: string }>();
  /** Text of the field while the person types. */
  const [typed, setTyped] = useState<string>();
  const start = wallTime(initial ?? morning(zone), zone);
  const { date, time } = own ?? { date: start.slice(0, 10), time: start.slice(11, 16) };
  const wallNow = wallTime(now(), zone);
  const isUnderstood = typed === undefined || parseTime(typed, wallNow) !== undefined;
  const wall = `${date} ${time}:00`;
  const chosen = isUnderstood ? instantOf(wall, zone) : undefined;

  const pick = (next: { date: string; time: string }, inZone = zone) => {
    setOwn(next);
    const at = instantOf(`${next.date} ${next.time}:00`, inZone);
    if (!isPast(at)) onPick?.(at);
  };
  return {
    zone,
    ownZone,
    date,
    time,
    today: wallNow.slice(0, 10),
    /** Text of the time field. */
    text: typed ?? time,
    /** The instant; undefined while the text is not understood. */
    chosen,
    /** Why the time cannot be used. */
    problem: !isUnderstood
      ? `“${typed?.trim() ?? ''}” is not a time. Write 21:00, 9pm or tomorrow 8.`
      : chosen !== undefined && isPast(chosen)
        ? passedMessage
        : undefined,
    /** The time as it was read, if the person wrote it differently. */
    reading:
      typed !== undefined && typed.trim() !== time && chosen !== undefined ? formatDateTime(chosen, zone) : undefined,
    clockChange: chosen === undefined ? undefined : clockChangeAt(wall, zone),
    type: (text: string) => {
      setTyped(text);
      const parsed = parseTime(text, wallNow);
      if (parsed) pick({ date: parsed.date ?? date, time: parsed.time ?? time });
    },
    pickDate: (next: string) => {
      setTyped(undefined);
      pick({ date: next, time });
    },
    /** Keeps the wall time and changes its zone: 09:00 stays 09:00 in the new zone. */
    pickZone: (next: string) => {
      setZone(next);
      setTyped(undefined);
      pick({ date, time }, next);
    },
    pickInstant: (at: string) => {
      const next = wallTime(at, zone);
      setTyped(undefined);
      pick({ date: next.slice(0, 10), time: next.slice(11, 16) });
    },
  };
};
