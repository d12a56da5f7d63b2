/** What time it is. Rules receive it, so that a test or the sandbox can move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

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
