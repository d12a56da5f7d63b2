import { dayMs, hourMs, minuteMs } from '#contracts/time';

/** Instants are ISO 8601 strings; wall times are `2026-11-19 08:30:00` in the person's zone. */

let aheadMs = 0;

/** Outside production the server's clock can be ahead, and the app follows it. */
export const setServerClock = (serverNow: string) => {
  const ahead = Date.parse(serverNow) - Date.now();
  aheadMs = Math.abs(ahead) < 2 * minuteMs ? 0 : ahead;
};

export const now = (): Date => new Date(Date.now() + aheadMs);
export const clockAheadMs = () => aheadMs;

export const browserZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

/** `Berlin` of `Europe/Berlin` */
export const cityOf = (zone: string) => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

const formats = new Map<string, Intl.DateTimeFormat>();

const formatFor = (zone: string) => {
  const cached = formats.get(zone);
  if (cached) return cached;
  const options: Intl.DateTimeFormatOptions = {
    timeZone: zone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  };
  const format = new Intl.DateTimeFormat('en-GB', options);
  formats.set(zone, format);
  return format;
};

export interface Parts {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  weekday: string;
}

const millis = (at: Date | string) => (typeof at === 'string' ? Date.parse(at) : at.getTime());

export const partsIn = (at: Date | string, zone: string): Parts => {
  const values = Object.fromEntries(
    formatFor(zone)
      .formatToParts(millis(at))
      .map(({ type, value }) => [type, value]),
  );
  const number = (name: string) => Number(values[name]);
  return {
    year: number('year'),
    month: number('month'),
    day: number('day'),
    hour: number('hour'),
    minute: number('minute'),
    second: number('second'),
    weekday: values.weekday ?? '',
  };
};

const pad = (value: number) => String(value).padStart(2, '0');

/** `2026-11-19` */
export const dateIn = (at: Date | string, zone: string) => {
  const { year, month, day } = partsIn(at, zone);
  return `${year}-${pad(month)}-${pad(day)}`;
};

/** `2026-11-19 08:30:00` */
export const wallTime = (at: Date | string, zone: string) => {
  const { hour, minute, second } = partsIn(at, zone);
  return `${dateIn(at, zone)} ${pad(hour)}:${pad(minute)}:${pad(second)}`;
};

/** Epoch milliseconds of the wall time read as UTC. */
const asUtc = (wall: string) => {
  const [, date, time = '00:00', seconds = ':00'] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(:\d\d)?)?/.exec(wall) ?? [];
  return Date.parse(`${date}T${time}${seconds}Z`);
};

/** If DST repeats the wall time, the first instant counts. If DST skips it, it moves forward: 02:30 becomes 03:30. */
export const instantOf = (wall: string, zone: string): string => {
  const { instants, before } = instantsOf(wall, zone);
  return new Date(instants.length > 0 ? Math.min(...instants) : before).toISOString();
};

/** How DST affects a wall time, if at all. */
export const clockChangeAt = (wall: string, zone: string): 'skipped' | 'repeated' | undefined => {
  const count = new Set(instantsOf(wall, zone).instants).size;
  return count === 0 ? 'skipped' : count === 2 ? 'repeated' : undefined;
};

/** The instants with this wall time: one, none or two. */
const instantsOf = (wall: string, zone: string) => {
  const utc = asUtc(wall);
  const offsetAt = (at: number) => asUtc(wallTime(new Date(at), zone)) - at;
  const before = utc - offsetAt(utc - dayMs);
  const after = utc - offsetAt(utc + dayMs);
  return { before, instants: [before, after].filter((at) => at + offsetAt(at) === utc) };
};

/** Calendar days, independent of DST: `addDays('2026-11-19', 1)`. */
export const addDays = (date: string, days: number) =>
  new Date(asUtc(date.slice(0, 10)) + days * dayMs).toISOString().slice(0, 10);

export const startOfDay = (at: Date | string, zone: string) => instantOf(dateIn(at, zone), zone);

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `08:30` */
export const formatTime = (at: Date | string, zone: string) => {
  const { hour, minute } = partsIn(at, zone);
  return `${pad(hour)}:${pad(minute)}`;
};

/** `Thu 19 Nov`, with the year if it is not this one. */
export const formatDay = (at: Date | string, zone: string) => {
  const { weekday, day, month, year } = partsIn(at, zone);
  const otherYear = year === partsIn(now(), zone).year ? '' : ` ${year}`;
  return `${weekday} ${day} ${months[month - 1]}${otherYear}`;
};

/** `Thu 19 Nov, 08:30` */
export const formatDateTime = (at: Date | string, zone: string) => `${formatDay(at, zone)}, ${formatTime(at, zone)}`;

/** `Today 18:00`, `Tomorrow 09:00`, `Yesterday 08:30`, else `Thu 19 Nov, 08:30` */
export const formatNear = (at: Date | string, zone: string) => {
  const today = dateIn(now(), zone);
  const names = { [today]: 'Today', [addDays(today, 1)]: 'Tomorrow', [addDays(today, -1)]: 'Yesterday' };
  const name = names[dateIn(at, zone)];
  return name === undefined ? formatDateTime(at, zone) : `${name} ${formatTime(at, zone)}`;
};

/** Inside a sentence: `today 18:00`, else `Thu 19 Nov, 08:30` */
export const formatSaid = (at: Date | string, zone: string) =>
  formatNear(at, zone).replace(/^(Today|Tomorrow|Yesterday)/, (word) => word.toLowerCase());

/** `45 s`, `12 min`, `3 h 57 min`, `2 days 4 h`, `12 days` */
export const formatSpan = (ms: number): string => {
  const part = (count: number, unit: string) => (count > 0 ? ` ${count} ${unit}` : '');
  if (ms < minuteMs) return `${Math.max(1, Math.round(ms / 1000))} s`;
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < dayMs) return `${Math.floor(ms / hourMs)} h${part(Math.floor((ms % hourMs) / minuteMs), 'min')}`;
  const days = Math.floor(ms / dayMs);
  const hours = days < 7 ? part(Math.floor((ms % dayMs) / hourMs), 'h') : '';
  return `${days} ${days === 1 ? 'day' : 'days'}${hours}`;
};

/** `in 3 h 57 min`, `12 min ago`, `now` */
export const formatRelative = (at: Date | string) => {
  const ms = millis(at) - now().getTime();
  if (Math.abs(ms) < 5000) return 'now';
  return ms > 0 ? `in ${formatSpan(ms)}` : `${formatSpan(-ms)} ago`;
};

/** The server writes times in UTC: `2026-11-21 08:00 UTC` becomes `Sat 21 Nov, 09:00`. */
export const inZone = (sentence: string, zone: string) =>
  sentence.replace(/\b(\d{4}-\d\d-\d\d) (\d\d:\d\d) UTC\b/g, (_, date, time) =>
    formatDateTime(`${date}T${time}:00Z`, zone),
  );
