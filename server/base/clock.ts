/** Rules receive a clock instead of reading the time, so that a test or the sandbox can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Returns the milliseconds since it was started. */
export type Stopwatch = () => number;

/**
 * Takes the larger of two elapsed times: the monotonic clock may stop while the machine sleeps, and the wall clock may
 * be set. If the wall clock was set back, the elapsed time is unknown and counts as infinite.
 */
export const startStopwatch = (monotonicMs = () => performance.now(), wallMs = () => Date.now()): Stopwatch => {
  const [monotonic, wall] = [monotonicMs(), wallMs()];
  return () => {
    const byWall = wallMs() - wall;
    return byWall < 0 ? Number.POSITIVE_INFINITY : Math.max(byWall, monotonicMs() - monotonic);
  };
};

/** How far the sandbox clock was moved. */
export const movedMsOf = (clock: Clock) => clock.now().getTime() - Date.now();

/** Real elapsed time plus moves of the sandbox clock. Setting the machine's clock does not change it. */
export const startSteadyStopwatch = (clock: Clock): Stopwatch => {
  const [startedMs, startMovedMs] = [performance.now(), movedMsOf(clock)];
  return () => performance.now() - startedMs + Math.round(movedMsOf(clock) - startMovedMs);
};

export interface MovableClock extends Clock {
  offsetMs(): number;
  setOffset(ms: number): void;
}

/** The system time plus the offset of the sandbox clock. */
export const createMovableClock = (): MovableClock => {
  let offsetMs = 0;
  return {
    now: () => new Date(Date.now() + offsetMs),
    offsetMs: () => offsetMs,
    setOffset: (ms) => {
      offsetMs = ms;
    },
  };
};
