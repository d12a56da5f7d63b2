import { setTimeout as sleep } from 'node:timers/promises';
import { Refusal } from '#server/errors';
import { isAway, isFull } from './pg-errors.ts';

const fullPauseMs = 100;
const awayPauseMs = 500;
const retryAfterSeconds = 5;

/**
 * Waits for a free connection, in our pool or on the server; after that the caller is told to try again. Nothing has
 * been sent by then.
 */
export async function waitForConnection<Result>(waitMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (isQueueTimeout(error) || (isFull(error) && performance.now() > deadline)) throw new BusyDatabase(error);
      if (!isFull(error)) throw error;
      await sleep(fullPauseMs);
    }
  }
}

/**
 * For what must not be lost and may be done twice: again while the database is away or has too much to do, or has ended it
 * because two waited for each other.
 */
export async function retryUntil<Result>(withinMs: number, work: () => Promise<Result>): Promise<Result> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || performance.now() > deadline) throw error;
      await sleep(awayPauseMs);
    }
  }
}

/** Whether the same may be taken in a moment. */
export function isRetryable(error: unknown): boolean {
  return isAway(error) || isBusy(error);
}

/** No connection became free in time, also where that is only the cause. */
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
    super('TooManyRequests', 'The database has more to do than it can now. Try again in a moment.');
    this.cause = cause;
  }
}
