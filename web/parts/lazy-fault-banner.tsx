import { lazy } from 'react';
import { faultOf } from '#web/base/faults.ts';
import styles from './lazy-fault-banner.module.css';

/** Fallback for when the banner's own chunk cannot be loaded. */
const Words = ({ fault, onRetry }: { fault: unknown; onRetry?: () => void }) => (
  <div role="alert" className={`card ${styles.words}`}>
    <p>{faultOf(fault).message}</p>
    <button type="button" className={styles.again} onClick={onRetry}>
      Try again
    </button>
  </div>
);

/** For error boundaries, which the first page loads. */
export const LazyFaultBanner = lazy(() =>
  import('./fault-banner.tsx').then(
    (parts) => ({ default: parts.FaultBanner }),
    () => ({ default: Words }),
  ),
);
