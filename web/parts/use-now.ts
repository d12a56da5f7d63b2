import { useSyncExternalStore } from 'react';
import { now } from '#web/base/time.ts';

const tickMs = 15_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let tick = now().getTime();

const renew = () => {
  tick = now().getTime();
  for (const listener of listeners) listener();
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  timer ??= setInterval(renew, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
};

/** For changes that cannot wait for the next tick, such as a moved clock. */
export const renewTimes = renew;

/** The current time, updated every 15 s. */
export const useNow = () => new Date(useSyncExternalStore(subscribe, () => tick));
