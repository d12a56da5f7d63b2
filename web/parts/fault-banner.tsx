import { Button } from '@mantine/core';
import { isAlreadyDone } from '#generated/app-client';
import { faultOf, unknownOutcome } from '#web/base/faults.ts';
import { isAsked } from './approval-requests.ts';
import { Banner } from './banner.tsx';
import { TimeLeft, useCountdown } from './countdown.tsx';
import { useShowFault } from './shown-faults.ts';

/** Shows the request id, so that the operator can find the request in the log. Pass `onRetry` for failed reads. */
export const FaultBanner = ({
  fault,
  title,
  onRetry,
  unanswered = unknownOutcome,
}: {
  fault: unknown;
  title: string;
  onRetry?: () => void;
  /** What may have happened when no answer arrived, and where to look. */
  unanswered?: string;
}) => {
  useShowFault(fault);
  const { code, message, requestId, retryAfterSeconds } = faultOf(fault);
  const waitSeconds = code === 'TooManyRequests' ? (retryAfterSeconds ?? 30) : undefined;
  const left = useCountdown(fault, waitSeconds, onRetry);
  if (waitSeconds !== undefined) {
    return (
      <Banner tone="orange" title="Too many requests">
        {onRetry ? 'Trying' : 'Try'} again in <TimeLeft left={`${left} s`} of={`${waitSeconds} s`} />.
      </Banner>
    );
  }
  if (isAsked(fault)) return <Banner tone="brass" title={message} />;
  if (isAlreadyDone(fault)) {
    return (
      <Banner tone="orange" title="Your first try worked">
        {message}
      </Banner>
    );
  }
  if (code === 'NoAnswer' && onRetry === undefined) {
    return (
      <Banner tone="red" title="No answer arrived">
        {unanswered}
      </Banner>
    );
  }
  const retry = onRetry && (
    <Button size="xs" onClick={onRetry}>
      Try again
    </Button>
  );
  return (
    <Banner tone="red" title={title} requestId={requestId} action={retry}>
      {message}
    </Banner>
  );
};
