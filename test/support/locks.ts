import { sql } from '#server/base/store/database';
import type { Service } from './service.ts';
import { until } from './until.ts';

const waitingStatements = sql(
  'test.waiting',
  "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
);

/** Waits until `count` statements are blocked by a lock, even one that the test holds in its own transaction. */
export const lockAwaited = ({ database }: Pick<Service, 'database'>, count = 1) =>
  // Within a transaction pg_stat_activity is a snapshot that never changes.
  until('they wait for the lock', async () => {
    const rows = await database.outside(() => database.query(waitingStatements));
    return rows.length >= count;
  });
