import { faultOf } from '#web/base/faults.ts';
import { formatSpan } from '#web/base/time.ts';
import { Banner } from './banner.tsx';
import { TimeLeft, useCountdown } from './countdown.tsx';
import { FaultBanner } from './fault-banner.tsx';
import { proofFault } from './proof-field.tsx';

/** Error of a sign-in; after several attempts it counts down the wait. */
export const TryFault = ({
  fault,
  title,
  isRepeatable = false,
}: {
  fault: unknown;
  title: string;
  /** The request is safe to repeat, so after a lost response the person does not have to check the result first. */
  isRepeatable?: boolean | undefined;
}) => {
  const { code, message, retryAfterSeconds = 0 } = faultOf(fault);
  const left = useCountdown(fault, retryAfterSeconds);
  if (code === 'TooManyRequests') {
    return (
      <Banner tone="orange" title="Too many tries">
        {left > 0 ? (
          <>
            Wait <TimeLeft left={formatSpan(left * 1000)} of={formatSpan(retryAfterSeconds * 1000)} />, then try again.
            Each wrong try makes the wait longer.
          </>
        ) : (
          'You can try again now.'
        )}
      </Banner>
    );
  }
  if (code === 'Unauthorized' || code === 'BadInput' || code === 'Forbidden') {
    return (
      <Banner tone="red" title={title}>
        {proofFault(fault) ?? message}
      </Banner>
    );
  }
  if (code === 'NoAnswer' && isRepeatable) {
    return (
      <Banner tone="red" title="No answer arrived">
        {message}
      </Banner>
    );
  }
  return <FaultBanner fault={fault} title={title} />;
};
