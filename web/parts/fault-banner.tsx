import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isAlreadyDone } from '#generated/app-client';
import { faultOf, unknownOutcome } from '#web/faults.ts';
import { isAsked } from './asked.ts';
import { Banner } from './banner.tsx';
import { useShowFault } from './shown-faults.ts';

/** Shows the request id, so that the operator can find the request in the log. What was only read has `onRetry`. */
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
  const waits = useCountdown(code === 'TooManyRequests' ? (retryAfterSeconds ?? 30) : undefined, onRetry);
  if (code === 'TooManyRequests') {
    return (
      <Banner tone="orange" title="Too many requests">
        {onRetry ? `Too many requests. Trying again in ${waits} s.` : `Too many requests. Try again in ${waits} s.`}
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

const useCountdown = (seconds: number | undefined, onEnd: (() => void) | undefined) => {
  const [left, setLeft] = useState(seconds ?? 0);
  const counting = seconds !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: onEnd may be a new function on every render
  useEffect(() => {
    if (!counting) return;
    if (left <= 0) {
      onEnd?.();
      return;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [counting, left]);
  return left;
};
