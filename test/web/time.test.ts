import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  addDays,
  clockChangeAt,
  formatDateTime,
  formatNear,
  formatRelative,
  formatSpan,
  instantOf,
  now,
  setServerClock,
  startOfDay,
  wallTime,
} from '#web/base/time.ts';
import { formatBytes, formatNumber } from '#web/parts/number.ts';
import { mergeTimes } from '#web/parts/time-picker/merge-times.ts';
import { parseTime } from '#web/parts/time-picker/parse-time.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-17T13:03:00Z') });
});
afterEach(() => {
  vi.useRealTimers();
  setServerClock(new Date().toISOString());
});

test.each([
  ['Europe/Paris', '2026-11-19 08:30:00', '2026-11-19T07:30:00.000Z'],
  ['America/New_York', '2026-07-01 23:59:00', '2026-07-02T03:59:00.000Z'],
  ['Asia/Kathmandu', '2026-11-19 00:15:00', '2026-11-18T18:30:00.000Z'],
  ['Pacific/Kiritimati', '2026-01-01 00:00:00', '2025-12-31T10:00:00.000Z'],
  ['UTC', '2026-11-19 00:00:00', '2026-11-19T00:00:00.000Z'],
])('in %s the wall time %s is %s, and back', (zone, wall, instant) => {
  expect(instantOf(wall, zone)).toBe(instant);
  expect(wallTime(instant, zone)).toBe(wall);
});

test.each([
  ['2026-03-29 02:30:00', 'Europe/Paris', 'skipped'],
  ['2026-10-25 02:30:00', 'Europe/Paris', 'repeated'],
  ['2026-10-25 03:00:00', 'Europe/Paris', undefined],
  ['2026-10-25 02:30:00', 'UTC', undefined],
] as const)('at %s in %s the clock change is told: %s', (wall, zone, change) => {
  expect(clockChangeAt(wall, zone)).toBe(change);
});

test('a time that a clock change skips moves on by as much as the clock did', () => {
  expect(instantOf('2026-03-29 02:30:00', 'Europe/Paris')).toBe('2026-03-29T01:30:00.000Z');
  expect(wallTime('2026-03-29T01:30:00Z', 'Europe/Paris')).toBe('2026-03-29 03:30:00');
  expect(instantOf('2026-03-08 02:15', 'America/New_York')).toBe('2026-03-08T07:15:00.000Z');
});

test('a time that a clock change repeats is the first of the two', () => {
  expect(instantOf('2026-10-25 02:30:00', 'Europe/Paris')).toBe('2026-10-25T00:30:00.000Z');
  expect(instantOf('2026-11-01 01:30:00', 'America/New_York')).toBe('2026-11-01T05:30:00.000Z');
});

test('a day is a day of the calendar, also when it has 23 hours', () => {
  expect(addDays('2026-03-28', 1)).toBe('2026-03-29');
  expect(startOfDay('2026-03-29T12:00:00Z', 'Europe/Paris')).toBe('2026-03-28T23:00:00.000Z');
  expect(startOfDay('2026-03-30T12:00:00Z', 'Europe/Paris')).toBe('2026-03-29T22:00:00.000Z');
});

test('near times are named by their day, others by date, another year with its number', () => {
  const near = (at: string) => formatNear(at, 'Europe/Paris');
  expect(near('2026-11-17T17:00:00Z')).toBe('Today 18:00');
  expect(near('2026-11-18T08:00:00Z')).toBe('Tomorrow 09:00');
  expect(near('2026-11-16T22:59:00Z')).toBe('Yesterday 23:59');
  expect(near('2026-11-19T07:30:00Z')).toBe('Thu 19 Nov, 08:30');
  expect(formatDateTime('2027-01-01T07:30:00Z', 'Europe/Paris')).toBe('Fri 1 Jan 2027, 08:30');
});

test('spans are as long as one reads at a glance', () => {
  const minute = 60_000;
  expect([45_000, 12 * minute, 237 * minute, 180 * minute].map(formatSpan)).toEqual([
    '45 s',
    '12 min',
    '3 h 57 min',
    '3 h',
  ]);
  expect([52 * 60 * minute, 12 * 1440 * minute].map(formatSpan)).toEqual(['2 days 4 h', '12 days']);
  expect(formatRelative('2026-11-17T17:00:00Z')).toBe('in 3 h 57 min');
  expect(formatRelative('2026-11-17T12:51:00Z')).toBe('12 min ago');
});

test('the app goes by the clock of the server when that one was moved', () => {
  setServerClock('2026-12-17T13:03:00Z');
  expect(now().toISOString()).toBe('2026-12-17T13:03:00.000Z');
  expect(formatNear('2026-12-17T17:00:00Z', 'UTC')).toBe('Today 17:00');
  // A difference of a few seconds is network delay, not a moved clock.
  setServerClock('2026-11-17T13:03:20Z');
  expect(now().toISOString()).toBe('2026-11-17T13:03:00.000Z');
});

test('numbers are short from ten thousand on', () => {
  expect([0, 1284, 9999, 38_200, 40_000, 999_960, 1_400_000].map(formatNumber)).toEqual([
    '0',
    '1,284',
    '9,999',
    '38.2k',
    '40k',
    '1M',
    '1.4M',
  ]);
  expect([999, 1500, 2_400_000, 31_000_000].map(formatBytes)).toEqual(['999 B', '1.5 kB', '2.4 MB', '31 MB']);
});

/** A Monday evening. */
const monday = '2026-11-16 20:15:00';

test.each([
  ['21', { time: '21:00' }],
  ['9pm', { time: '21:00' }],
  ['9 PM', { time: '21:00' }],
  ['9:30 p.m.', { time: '21:30' }],
  ['12am', { time: '00:00' }],
  ['12pm', { time: '12:00' }],
  ['9.30', { time: '09:30' }],
  ['0930', { time: '09:30' }],
  ['930', { time: '09:30' }],
  ['21h30', { time: '21:30' }],
  ['18 h', { time: '18:00' }],
  ['noon', { time: '12:00' }],
  [' 08:05 ', { time: '08:05' }],
  ['tomorrow 8', { date: '2026-11-17', time: '08:00' }],
  ['tomorrow', { date: '2026-11-17' }],
  ['8am tomorrow', { date: '2026-11-17', time: '08:00' }],
  ['today at 22.45', { date: '2026-11-16', time: '22:45' }],
  ['fri 9am', { date: '2026-11-20', time: '09:00' }],
  ['Wednesday, 7', { date: '2026-11-18', time: '07:00' }],
  ['monday 21', { date: '2026-11-16', time: '21:00' }],
  ['monday 8', { date: '2026-11-23', time: '08:00' }],
  ['19 nov 8:30', { date: '2026-11-19', time: '08:30' }],
  ['3 February', { date: '2027-02-03' }],
  ['2026-12-24 18', { date: '2026-12-24', time: '18:00' }],
])('“%s” is understood', (text, expected) => {
  expect(parseTime(text, monday)).toEqual(expected);
});

test.each(['', '24', '9:60', '9:3', '13pm', '0am', 'soon', 'tomorrow evening', '30 feb 9', '2026-02-30', '8 9', '-1'])(
  '“%s” is no time',
  (text) => {
    expect(parseTime(text, monday)).toBeUndefined();
  },
);

test('the next free slot and an equal best time are one suggestion with both reasons', () => {
  const [slot, other] = ['2026-11-17T17:00:00.000000Z', '2026-11-20T07:30:00.000Z'];
  const best = (at: string, evidence: string, isGuess = false) => ({ at, evidence, isGuess });
  const equal = best('2026-11-17T17:00:00.000Z', '488 a post, from 4 posts');
  expect(mergeTimes(slot, [best(other, '500 a post, from 3 posts'), equal])).toEqual([
    { at: slot, reasons: ['slot', 'good'], detail: 'in 3 h 57 min · 488 a post, from 4 posts' },
    { at: other, reasons: ['best'], detail: '500 a post, from 3 posts' },
  ]);
  expect(mergeTimes(slot, [equal, best(other, '358 a post, from 5 posts')]).map(({ reasons }) => reasons)).toEqual([
    ['slot', 'best'],
    [],
  ]);
  // A time based on too few posts is only a guess, so it never counts as "best".
  expect(mergeTimes(slot, [best(other, 'Only 2 posts so far: a guess', true)])).toEqual([
    { at: slot, reasons: ['slot'], detail: 'in 3 h 57 min' },
    { at: other, reasons: [], detail: 'Only 2 posts so far: a guess' },
  ]);
  expect(mergeTimes(undefined, [])).toEqual([]);
});
