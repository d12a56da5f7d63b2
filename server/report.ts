import type { Logger } from 'pino';
import { isAway } from '#server/store/away';

/**
 * The rule for levels stands in docs/operating.md. Trouble that passes when something answers again is a warning; all other
 * trouble that nobody expected is a fault, and an error.
 */
export const createReport =
  (log: Logger, what: string) =>
  (err: unknown, fields: { requestId?: string } = {}): void => {
    if (isAway(err)) log.warn({ ...fields, err }, what);
    else log.error({ ...fields, err }, what);
  };
