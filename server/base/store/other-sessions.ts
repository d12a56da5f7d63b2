import { type Database, sql } from './database.ts';

const otherSessions = sql(
  'sessions.others',
  `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name ~ '^posthorn \\d+$'`,
);

/** Connections of other Posthorn processes. Correct only while this process has one connection. */
export const countOtherSessions = async (database: Database) => (await database.query(otherSessions))[0]?.count ?? 0;
