import { type Database, sql } from '#server/store/database';
import type { KeptJob } from './overview.ts';

const jobs = sql(
  'agenda_jobs',
  `select name, repeat_interval as "repeatInterval", last_run_at as "lastRunAt", last_finished_at as "lastFinishedAt",
     next_run_at as "nextRunAt", failed_at as "failedAt", fail_reason as "failReason" from agenda_jobs`,
);
const noSuchTable = '42P01';

/** Where Agenda has them. PostgreSQL is read without Agenda, which takes as long to load as all that is due takes to read. */
export const readJobs = async (
  database: Database,
  mongodbUrl: string | undefined,
  report: (error: unknown) => void,
): Promise<readonly KeptJob[]> => {
  if (mongodbUrl === undefined) return readFromPostgres(database);
  const { readJobsInMongo } = await import('./agenda.ts');
  return readJobsInMongo(mongodbUrl, report);
};

const readFromPostgres = (database: Database) =>
  database.query<KeptJob>(jobs).catch((error: { code?: string }) => {
    // No service has run here yet.
    if (error.code === noSuchTable) return [];
    throw error;
  });
