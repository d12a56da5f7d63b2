import { type Database, sql } from '#server/base/store/database';
import type { AgendaJob } from './overview.ts';

const jobs = sql(
  'agenda_jobs',
  'select name, repeat_interval, last_run_at, last_finished_at, next_run_at, failed_at, fail_reason from agenda_jobs',
).holds<AgendaJob>();
const noSuchTable = '42P01';

/**
 * From Agenda's store. PostgreSQL is read directly, because importing Agenda takes as long as reading all due times.
 */
export const readJobs = async (
  database: Database,
  mongodbUrl: string | undefined,
  report: (error: unknown) => void,
): Promise<readonly AgendaJob[]> => {
  if (mongodbUrl === undefined) return readFromPostgres(database);
  const { readJobsInMongo } = await import('./agenda.ts');
  return readJobsInMongo(mongodbUrl, report);
};

const readFromPostgres = (database: Database) =>
  database.query(jobs).catch((error: { code?: string }): AgendaJob[] => {
    // Agenda creates its table at the first start of the service.
    if (error.code === noSuchTable) return [];
    throw error;
  });
