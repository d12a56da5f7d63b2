import { formatDay, formatTime, now, partsIn } from '#web/base/time.ts';

const sixDaysMs = 6 * 24 * 3_600_000;

/** `Thu 08:30` within six days, else `19 Nov, 08:30` */
export const formatShort = (at: string, zone: string) => {
  const isSoon = Date.parse(at) - now().getTime() < sixDaysMs;
  const day = isSoon ? partsIn(at, zone).weekday : `${formatDay(at, zone).slice(4)},`;
  return `${day} ${formatTime(at, zone)}`;
};
