import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { Column } from '#web/parts/section.tsx';

const title = 'This page could not be shown';

/** Where not even the file of the banner comes. */
const Words = ({ onRetry }: { onRetry?: () => void }) => (
  <p role="alert">
    {title}.{' '}
    <button type="button" onClick={onRetry}>
      Try again
    </button>
  </p>
);

const FaultBanner = lazy(() =>
  import('#web/parts/fault.tsx').then(
    (parts) => ({ default: parts.FaultBanner }),
    () => ({ default: Words }),
  ),
);

/** In place of a page that could not be shown. */
export const PageFault = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Column width="narrow">
      <h1 className="hidden">{title}</h1>
      <Suspense>
        <FaultBanner fault={error} title={title} onRetry={again} />
      </Suspense>
    </Column>
  );
};
