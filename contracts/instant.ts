import { minuteMs } from './time.ts';

/** `2026-11-15T09:30Z` or `…T09:30:00.5+02:00`, not `…T093000`: date and time with separators; seconds may be missing. */
const written =
  /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,20}))?)?([Zz]|([+-])(\d\d)(?::?(\d\d))?)$/;

const latestMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/**
 * The one form in which instants are kept, compared and answered: UTC with six fraction digits, `2026-11-15T09:30:00.000000Z`.
 * All have the same length, so they compare as text. Undefined for what is no instant, lies before 1970 or after 9999.
 */
export const canonicalInstant = (text: string): string | undefined => {
  const [, year, month, day, hour, minute, second = '00', fraction = '', , sign, zoneHours = '00', zoneMinutes = '00'] =
    written.exec(text) ?? [];
  if (year === undefined) return undefined;
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const wall = new Date(Date.UTC(y, mo - 1, d, h, mi, s));
  // Date.UTC carries over what does not fit: the 30th of February becomes March.
  const isReal = wall.getUTCMonth() === mo - 1 && wall.getUTCDate() === d && h < 24 && mi < 60 && s < 60 && y > 99;
  if (!isReal || Number(zoneHours) > 23 || Number(zoneMinutes) > 59) return undefined;
  const offsetMs = (Number(zoneHours) * 60 + Number(zoneMinutes)) * minuteMs * (sign === '-' ? -1 : 1);
  const ms = wall.getTime() - offsetMs;
  if (ms < 0 || ms > latestMs) return undefined;
  return `${new Date(ms).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
};

/** The same for a Date, which knows no microseconds. */
export const instantOf = (date: Date): string => `${date.toISOString().slice(0, 23)}000Z`;
