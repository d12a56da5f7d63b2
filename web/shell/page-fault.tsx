import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { isFileFault, reloadIfReachable, reloadOnce, toFileFault } from '#web/base/app-files.ts';
import { LazyFaultBanner } from '#web/parts/lazy-fault-banner.tsx';
import { Column } from '#web/parts/section.tsx';

const title = 'This page could not be shown';

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
        <LazyFaultBanner fault={fault} title={title} onRetry={again} />
      </Suspense>
    </Column>
  );
};
