import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { lazy, Suspense, useEffect } from 'react';
import { isFileFault, reloadIfReachable, reloadOnce, toFileFault } from '#web/app-files.ts';
import { faultOf } from '#web/faults.ts';
import { Column } from '#web/parts/section.tsx';
import styles from './page-fault.module.css';

const title = 'This page could not be shown';

/** Fallback for when the banner's own chunk cannot be loaded. */
const Words = ({ fault, onRetry }: { fault: unknown; onRetry?: () => void }) => (
  <div role="alert" className={`card ${styles.words}`}>
    <p>{faultOf(fault).message}</p>
    <button type="button" className={styles.again} onClick={onRetry}>
      Try again
    </button>
  </div>
);

const FaultBanner = lazy(() =>
  import('#web/parts/fault-banner.tsx').then(
    (parts) => ({ default: parts.FaultBanner }),
    () => ({ default: Words }),
  ),
);

export const PageFault = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const fault = toFileFault(error);
  const isOfFiles = isFileFault(fault);
  const again = () => {
    if (isOfFiles) return void reloadIfReachable();
    reset();
    void router.invalidate();
  };
  useEffect(() => {
    if (!isOfFiles) return;
    void reloadOnce();
    addEventListener('online', reloadIfReachable);
    return () => removeEventListener('online', reloadIfReachable);
  }, [isOfFiles]);
  return (
    <Column width="narrow">
      <h1 className="hidden">{title}</h1>
      <Suspense>
        <FaultBanner fault={fault} title={title} onRetry={again} />
      </Suspense>
    </Column>
  );
};
