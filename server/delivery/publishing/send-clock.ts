import { type Clock, type Stopwatch, startSteadyStopwatch } from '#server/base/clock';
import type { ClaimedRow } from './open-send.ts';

/** How many sends a process keeps its own times for. */
const maxTracked = 10_000;

export type SendClock = ReturnType<typeof createSendClock>;

/** How long ago a send was begun, sent and lost. */
export const createSendClock = (clock: Clock) => {
  /** The time by the database's clock, like all instants of the row. */
  const nowMs = ({ claimedAt, heldMs }: ClaimedRow, since: Stopwatch = heldMs) => Date.parse(claimedAt) + since();
  const ageMs = (row: ClaimedRow, instant: string, since: Stopwatch = row.heldMs) =>
    nowMs(row, since) - Date.parse(instant);

  /**
   * By key: when this process first sent a part, and when it learned that the response was lost. Measured here too,
   * because the instants in the row are wrong after a step of the database's clock.
   */
  const sentSince = new Map<string, Stopwatch>();
  const lostSince = new Map<string, Stopwatch>();
  const startTimer = (times: Map<string, Stopwatch>, key: string) => {
    if (times.has(key)) return;
    if (times.size >= maxTracked) times.delete(times.keys().next().value ?? '');
    times.set(key, startSteadyStopwatch(clock));
  };

  return {
    nowMs,
    ageMs,

    /** The part leaves now, unless it left before. */
    startSent: (key: string) => startTimer(sentSince, key),

    startLost: (key: string) => startTimer(lostSince, key),

    stop: (key: string) => {
      sentSince.delete(key);
      lostSince.delete(key);
    },

    /** Undefined when another process sent it. */
    sentForMs: (key: string) => sentSince.get(key)?.(),

    lostForMs: (row: ClaimedRow) => {
      if (row.lostAt === null) return 0;
      return Math.min(ageMs(row, row.lostAt), lostSince.get(row.key)?.() ?? Number.POSITIVE_INFINITY);
    },
  };
};
