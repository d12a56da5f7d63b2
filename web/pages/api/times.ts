import { hourMs } from '#contracts/time';
import { useZone } from '#web/base/session.ts';
import { formatDay, formatRelative, now } from '#web/base/time.ts';
import { useNow } from '#web/parts/use-now.ts';

/** `2 Nov` */
export const useShortDay = () => {
  const zone = useZone();
  useNow();
  return (at: string) => formatDay(at, zone).replace(/^\w+ /, '');
};

/** `9 min ago` or `16 h ago` within a day, then the date. */
export const agoOf = (at: string, shortDay: (at: string) => string) => {
  const ago = now().getTime() - Date.parse(at);
  if (ago < 60_000) return 'just now';
  if (ago < hourMs) return formatRelative(at);
  return ago < 24 * hourMs ? `${Math.floor(ago / hourMs)} h ago` : shortDay(at);
};
