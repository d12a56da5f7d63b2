import { useEffect, useState } from 'react';

/** Counts down the seconds to wait after `fault`, then calls `onEnd`. A new fault restarts the countdown. */
export const useCountdown = (fault: unknown, seconds: number | undefined, onEnd?: () => void) => {
  const [state, setState] = useState({ fault, left: seconds ?? 0 });
  // Reset during rendering: an effect would still see the finished countdown of the previous fault.
  if (state.fault !== fault) setState({ fault, left: seconds ?? 0 });
  const isCounting = seconds !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: onEnd may be a new function on every render
  useEffect(() => {
    if (!isCounting) return;
    if (state.left <= 0) {
      onEnd?.();
      return;
    }
    const timer = setTimeout(() => setState({ ...state, left: state.left - 1 }), 1000);
    return () => clearTimeout(timer);
  }, [isCounting, state]);
  return state.left;
};

/** For live regions: screen readers would announce every second, so they get the total wait instead. */
export const TimeLeft = ({ left, of }: { left: string; of: string }) => (
  <>
    <span aria-hidden="true">{left}</span>
    <span className="hidden">{of}</span>
  </>
);
