import { type Clock, systemClock } from '#server/base/clock';
import { type Check, checksNamed } from '#server/base/health/check';
import { type Database, sql } from './database.ts';

const samples = 3;

const databaseClock = sql(
  'clock-skew.databaseClock',
  'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
);

/**
 * Database clock minus process clock, in milliseconds. Each sample compares with the midpoint of its round trip. The one with
 * the shortest trip counts, because a first connection or a busy machine delays one direction more than the other.
 */
export const measureClockSkewMs = async (
  database: Pick<Database, 'query'>,
  clock: Clock = systemClock,
): Promise<number> => {
  let best = { tripMs: Number.POSITIVE_INFINITY, skewMs: 0 };
  for (let sample = 0; sample < samples; sample++) {
    const began = performance.now();
    const sentMs = clock.now().getTime();
    const [row] = await database.query(databaseClock);
    const tripMs = performance.now() - began;
    if (row !== undefined && tripMs < best.tripMs) best = { tripMs, skewMs: row.ms - (sentMs + tripMs / 2) };
  }
  return Math.round(best.skewMs);
};

/** A larger skew is a warning. Sends are confirmed by comparing times, which fails from a minute on. */
const warningMs = 5_000;
const failureMs = 60_000;

/** `skewMs` is the clock of `whose` minus that of this machine. */
export const checkClock = (skewMs: number, whose: string): Check => {
  const clock = checksNamed('clock');
  if (Math.abs(skewMs) <= warningMs) return clock.ok(`The clock of this machine agrees with that of ${whose}`);
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  const message = `The clock of this machine is ${seconds} s ${skewMs < 0 ? 'ahead of' : 'behind'} that of ${whose}. Synchronise both with NTP (chrony, systemd-timesyncd): schedules and signatures depend on it.`;
  return Math.abs(skewMs) < failureMs ? clock.warning(message) : clock.failure(message);
};
