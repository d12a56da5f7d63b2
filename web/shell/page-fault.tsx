import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { FaultBanner } from '#web/parts/fault.tsx';
import { Column } from '#web/parts/section.tsx';

/** In place of a page that could not be shown. */
export const PageFault = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const again = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Column width="narrow">
      <h1 className="hidden">This page could not be shown</h1>
      <FaultBanner fault={error} title="This page could not be shown" onRetry={again} />
    </Column>
  );
};
