import { CatchBoundary, type ErrorComponentProps, useRouterState } from '@tanstack/react-router';
import { Children, Suspense } from 'react';
import { isFileFault, toFileFault } from '#web/base/app-files.ts';
import { LazyFaultBanner } from './lazy-fault-banner.tsx';

/** Keeps an error in one rail or panel from replacing the page. A new address tries again. */
export const PartBoundary = ({ children }: { children: React.ReactNode }) => {
  const address = useRouterState({ select: ({ location }) => location.href });
  return (
    <CatchBoundary getResetKey={() => address} errorComponent={PartFault}>
      {children}
    </CatchBoundary>
  );
};

/** A boundary around each child. */
export const PartBoundaries = ({ children }: { children: React.ReactNode }) =>
  Children.map(children, (child) => <PartBoundary>{child}</PartBoundary>);

const PartFault = ({ error, reset }: ErrorComponentProps) => {
  // Only a reload gets a missing file of the app, so leave it to the page.
  if (isFileFault(toFileFault(error))) throw error;
  return (
    <Suspense>
      <LazyFaultBanner fault={error} title="This part could not be shown" onRetry={reset} />
    </Suspense>
  );
};
