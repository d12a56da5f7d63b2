import { Tooltip } from '@mantine/core';
import { useZone } from '#web/base/session.ts';
import { formatDateTime, formatDay, formatNear, formatRelative, formatSaid, formatTime } from '#web/base/time.ts';
import { useNow } from './use-now.ts';

/**
 * near: `Today 18:00` or `Thu 19 Nov, 08:30`; said: the same inside a sentence; full: always the date; relative: `in 3
 * h`; time: `08:30`; day: `Thu 19 Nov`.
 */
export const When = ({
  at,
  form = 'near',
  className,
}: {
  at: string;
  form?: 'near' | 'said' | 'full' | 'relative' | 'time' | 'day';
  className?: string | undefined;
}) => {
  const zone = useZone();
  useNow();
  const text = {
    near: () => formatNear(at, zone),
    said: () => formatSaid(at, zone),
    full: () => formatDateTime(at, zone),
    relative: () => formatRelative(at),
    time: () => formatTime(at, zone),
    day: () => formatDay(at, zone),
  }[form]();
  const time = (
    <time dateTime={at} className={className}>
      {text}
    </time>
  );
  return form === 'full' ? time : <Tooltip label={`${formatDateTime(at, zone)} (${zone})`}>{time}</Tooltip>;
};
