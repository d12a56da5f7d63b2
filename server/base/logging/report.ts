import type { Logger } from 'pino';
import { isClosed, isUnavailable } from '#server/base/store/pg-errors';
import { isBusy } from '#server/base/store/retry';

const busyLogEveryMs = 60_000;

/** By log, because several reports share one. */
const busyErrors = new WeakMap<Logger, { times: number; loggedAt: number }>();

/** A busy database refuses many requests a second, so it is logged once a minute, with the number of refusals. */
const logBusy = (log: Logger, err: unknown) => {
  const { times, loggedAt } = busyErrors.get(log) ?? { times: 0, loggedAt: Number.NEGATIVE_INFINITY };
  const now = performance.now();
  const isDue = now - loggedAt >= busyLogEveryMs;
  busyErrors.set(log, { times: isDue ? 0 : times + 1, loggedAt: isDue ? now : loggedAt });
  if (isDue) log.warn({ err, times: times + 1 }, 'the database is busy; work in the background waits for it');
};

/**
 * Levels as docs/operating.md describes them: a lost connection, which recovers by itself, is a warning. Any other
 * unexpected failure is an error. Work that outlives the time for stopping is neither.
 */
export const createReport =
  (log: Logger, what: string) =>
  (err: unknown, fields: { requestId?: string } = {}): void => {
    // Not the error: pg says that of any pool, and an operator who stops the process expects it.
    if (isClosed(err)) log.info(fields, `${what}, because the process stops`);
    else if (isBusy(err)) logBusy(log, err);
    else if (isUnavailable(err)) log.warn({ ...fields, err }, what);
    else log.error({ ...fields, err }, what);
  };
