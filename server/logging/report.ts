import type { Logger } from 'pino';
import { isUnavailable } from '#server/store/pg-errors';
import { isBusy } from '#server/store/retry';

const busyEveryMs = 60_000;

/** Of all reports to one log. */
const busy = new WeakMap<Logger, { times: number; toldAt: number }>();

/** A busy database refuses whatever is tried, many times a second: one line a minute says so, and how often it was. */
const tellBusy = (log: Logger, err: unknown) => {
  const { times, toldAt } = busy.get(log) ?? { times: 0, toldAt: Number.NEGATIVE_INFINITY };
  const now = performance.now();
  const isDue = now - toldAt >= busyEveryMs;
  busy.set(log, { times: isDue ? 0 : times + 1, toldAt: isDue ? now : toldAt });
  if (isDue) log.warn({ err, times: times + 1 }, 'the database is busy; work in the background waits for it');
};

/**
 * The rule for levels stands in docs/operating.md. Trouble that passes when something answers again is a warning; all other
 * trouble that nobody expected is a fault, and an error.
 */
export const createReport =
  (log: Logger, what: string) =>
  (err: unknown, fields: { requestId?: string } = {}): void => {
    if (isBusy(err)) tellBusy(log, err);
    else if (isUnavailable(err)) log.warn({ ...fields, err }, what);
    else log.error({ ...fields, err }, what);
  };
