import { ApiError, ConnectionError } from './posthorn-error.ts';

/**
 * When a call may be retried. Always: it changes nothing. WithKey: its Idempotency-Key keeps it from running twice.
 * IfRefused: only after 408 and 429, when the server did not process it.
 */
export type Retry = 'Always' | 'WithKey' | 'IfRefused';

const longestWaitMs = 60_000;

/** With up to 25 % jitter, so that clients that failed together do not retry together. */
const backoffMs = (retries: number): number => Math.min(500 * 2 ** retries, 8000) * (1 - Math.random() / 4);

/** The delay before a retry, or undefined when there must be none. */
export const waitBeforeRetry = (error: unknown, retry: Retry, retries: number): number | undefined => {
  if (error instanceof ConnectionError) return retry === 'IfRefused' ? undefined : backoffMs(retries);
  if (!(error instanceof ApiError)) return undefined;
  const isUnprocessed = error.status === 429 || error.status === 408;
  if (!isUnprocessed && (error.status < 500 || retry === 'IfRefused')) return undefined;
  const wait = error.retryAfterMs ?? backoffMs(retries);
  return wait > longestWaitMs ? undefined : wait;
};

/** Rejects with the signal's reason when it aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
