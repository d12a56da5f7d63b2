import { useEffect, useState } from 'react';

/** Seconds left of the wait that `fault` asks for, then `onEnd`. Every fault starts anew. */
export const useCountdown = (fault: unknown, seconds: number | undefined, onEnd?: () => void) => {
  const [state, setState] = useState({ fault, left: seconds ?? 0 });
  // While rendering: an effect would see the end of the fault before.
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

/** Inside a live region: screen readers would announce every change of it, so they get the whole wait instead. */
export const TimeLeft = ({ left, of }: { left: string; of: string }) => (
  <>
    <span aria-hidden="true">{left}</span>
    <span className="hidden">{of}</span>
  </>
);
