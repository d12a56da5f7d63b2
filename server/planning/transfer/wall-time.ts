import { Temporal } from 'temporal-polyfill';
import { canonicalInstant } from '#contracts/instant';

type TimeResult =
  | { readonly at: string }
  | { readonly code: 'BadTime' | 'BadZone' | 'TimeSkipped' | 'TimeTwice'; readonly message: string };

/** `2026-11-19 08:30`, `2026-11-19T08:30:00 Europe/Paris`, `…[Europe/Paris]`. */
const timePattern =
  /^(\d{4})-(\d\d)-(\d\d)[ Tt](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)? ?(?:\[?([A-Za-z][A-Za-z0-9_+/-]{0,99})\]?)?$/;

/** The instant of a cell. `zone` is for a time without one. An ambiguous time is an error, not a guess. */
export const readTime = (text: string, zone: string): TimeResult => {
  const at = canonicalInstant(text.replace(' ', 'T').replace(' ', ''));
  if (at !== undefined) return { at };
  const [, year, month, day, hour, minute, second = '0', named = zone] = timePattern.exec(text) ?? [];
  const wall = wallOf([year, month, day, hour, minute, second].map(Number));
  if (wall === undefined) {
    const message = 'must be a time such as 2026-11-19 08:30 or 2026-11-19T08:30:00+01:00';
    return { code: 'BadTime', message };
  }
  if (!isZone(named)) {
    return { code: 'BadZone', message: `names no time zone (${named}); write one such as Europe/Paris` };
  }
  const [earlier, later] = (['earlier', 'later'] as const).map((disambiguation) =>
    wall.toZonedDateTime(named, { disambiguation }),
  ) as [Temporal.ZonedDateTime, Temporal.ZonedDateTime];
  if (earlier.epochNanoseconds === later.epochNanoseconds) return { at: instantOf(earlier) };
  const shown = wall.toString({ smallestUnit: 'minute' });
  if (earlier.toPlainDateTime().equals(wall)) {
    const message = `comes twice in ${named}, as the clocks are set back; write ${shown}${earlier.offset} or ${shown}${later.offset}`;
    return { code: 'TimeTwice', message };
  }
  return {
    code: 'TimeSkipped',
    message: `does not exist in ${named}, as the clocks are set forward past ${shown.slice(11)}; choose another time`,
  };
};

const wallOf = (parts: readonly number[]) => {
  const [year = Number.NaN, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts;
  if (Number.isNaN(year) || year < 1970) return undefined;
  try {
    return Temporal.PlainDateTime.from({ year, month, day, hour, minute, second }, { overflow: 'reject' });
  } catch {
    return undefined;
  }
};

const zoneCache = new Map<string, boolean>();
const maxCachedZones = 1000;

/** Cached, because a file names the same zone in every row. */
export const isZone = (name: string): boolean => {
  const cached = zoneCache.get(name);
  if (cached !== undefined) return cached;
  let isValid = /^[A-Za-z]/.test(name) && name.length <= 100;
  try {
    if (isValid) new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    isValid = false;
  }
  if (zoneCache.size === maxCachedZones) zoneCache.clear();
  zoneCache.set(name, isValid);
  return isValid;
};

const instantOf = (time: Temporal.ZonedDateTime) => canonicalInstant(time.toInstant().toString()) ?? '';
