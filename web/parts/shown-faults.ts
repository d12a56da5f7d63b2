import { useEffect } from 'react';

const faults = new Set<unknown>();
const listeners = new Set<() => void>();

const change = (act: () => void) => {
  act();
  for (const listener of listeners) listener();
};

/** Errors that a banner of the page shows, so that the shell need not. */
export const shownFaults = {
  has: (fault: unknown) => faults.has(fault),
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};

export const useShowFault = (fault: unknown) => {
  useEffect(() => {
    change(() => faults.add(fault));
    return () => change(() => faults.delete(fault));
  }, [fault]);
};
