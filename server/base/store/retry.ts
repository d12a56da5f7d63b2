import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal, stopping } from '#server/base/errors';
import { isClosed, isFull, isLocked, isUnavailable, isUnwritable } from './pg-errors.ts';

const fullPauseMs = 100;
const unavailablePauseMs = 500;
const retryAfterSeconds = 5;

/**
 * Waits for a free connection, in the pool or on the server. On timeout the caller gets TooManyRequests, and nothing has
 * been sent.
 */
export async function waitForConnection<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isQueueTimeout(error) || (isFull(error) && performance.now() > deadline)) throw new BusyDatabase(error);
      if (isClosed(error)) throw Object.assign(stopping(), { cause: error });
      if (!isFull(error)) throw toRefusal(error);
      await sleep(fullPauseMs);
    }
  }
}

/** PostgreSQL ended one of two transactions that waited for each other. It wrote nothing, so its caller can try again. */
export const toRefusal = (error: unknown) => (isLocked(error) ? new BusyDatabase(error) : error);

/** For callers, who cannot mend it: the operator finds the cause in the log and with `posthorn doctor`. */
export const describeUnwritable = (error: unknown) =>
  isUnwritable(error)
    ? new Refusal(
        'Internal',
        'The database cannot save anything: its disk is full, or it is read-only. Nothing was changed. Tell the operator, who sees the cause with `posthorn doctor`.',
      )
    : undefined;

/**
 * For idempotent work that must not be lost: retries while the database is unavailable or busy, and after a deadlock.
 */
export async function retryUntil<Result>(withinMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > deadline) throw error;
      await sleep(unavailablePauseMs);
    }
  }
}

/** Whether a retry in a moment may succeed. */
export function isRetryable(error: unknown): boolean {
  return isUnavailable(error) || isBusy(error);
}

/** No connection became free in time; also true when that is only the cause of the error. */
export function isBusy(error: unknown): boolean {
  return error instanceof BusyDatabase || isFull(error) || (error instanceof Error && isBusy(error.cause));
}

function isQueueTimeout(error: unknown): boolean {
  return (error as Error).message === 'timeout exceeded when trying to connect';
}

class BusyDatabase extends Refusal {
  override readonly retryAfterSeconds = retryAfterSeconds;
  override readonly cause: unknown;

  constructor(cause: unknown) {
    super('TooManyRequests', 'The database is busy. Try again in a moment.');
    this.cause = cause;
  }
}
