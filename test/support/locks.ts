import { sql } from '#server/store/database';
import type { Service } from './service.ts';
import { until } from './until.ts';

const waiting = sql(
  'test.waiting',
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
);

/** Until so many statements wait for a lock that somebody else holds. Also for a test that holds it in a transaction. */
export const lockAwaited = ({ database }: Pick<Service, 'database'>, count = 1) =>
  // Inside a transaction PostgreSQL shows the same activity for ever.
  until('they wait for the lock', async () => {
    const found = await database.outside(() => database.query(waiting));
    return found.length >= count;
  });
