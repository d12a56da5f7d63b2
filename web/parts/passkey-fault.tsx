import { Banner } from './banner.tsx';
import { TryFault } from './try-fault.tsx';

/** Browsers answer with this error when a person cancels, and hide why. */
const isCancelled = (fault: unknown) => fault instanceof Error && fault.name === 'NotAllowedError';

export const PasskeyFault = ({ fault, title }: { fault: unknown; title: string }) =>
  isCancelled(fault) ? (
    <Banner tone="orange" title={title}>
      The browser used no passkey: it was cancelled, took too long, or there is none for this site.
    </Banner>
  ) : (
    <TryFault fault={fault} title={title} />
  );
