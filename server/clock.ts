/** What time it is. Rules receive it, so that a test or the sandbox can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** How many milliseconds ago it was started. */
export type Stopwatch = () => number;

/**
 * By whichever clock says more: the monotonic one may stand still while a machine sleeps, and the wall clock may be set. If
 * the wall clock was set back, the time that has passed is unknown and counts as infinite.
 */
export const startStopwatch = (monotonicMs = () => performance.now(), wallMs = () => Date.now()): Stopwatch => {
  const [monotonic, wall] = [monotonicMs(), wallMs()];
  return () => {
    const byWall = wallMs() - wall;
    return byWall < 0 ? Number.POSITIVE_INFINITY : Math.max(byWall, monotonicMs() - monotonic);
  };
};

/** Time that has really passed, and what the sandbox clock was moved: not what the machine's clock was set. */
export const startSteadyStopwatch = (clock: Clock): Stopwatch => {
  const offsetMs = () => clock.now().getTime() - Date.now();
  const [startedMs, startOffsetMs] = [performance.now(), offsetMs()];
  return () => performance.now() - startedMs + Math.round(offsetMs() - startOffsetMs);
};

export interface MovableClock extends Clock {
  offsetMs(): number;
  setOffset(ms: number): void;
}

/** The system's time and what the sandbox clock adds to it. */
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
