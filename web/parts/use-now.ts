import { useSyncExternalStore } from 'react';
import { now } from './time.ts';

/** One timer for all times on the page. */
const tickMs = 15_000;
const hearers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tick = now().getTime();

const renew = () => {
  tick = now().getTime();
  for (const hear of hearers) hear();
};

const subscribe = (hear: () => void) => {
  hearers.add(hear);
  timer ??= setInterval(renew, tickMs);
  return () => {
    hearers.delete(hear);
    if (hearers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** For what must not wait for the next tick, such as a clock that was moved. */
export const renewTimes = renew;

/** The present time, renewed every 15 s. */
export const useNow = () => new Date(useSyncExternalStore(subscribe, () => tick));
