import { type Command, using } from './command.ts';

export const jobs: Command = (config) =>
  using(config, async ({ database, sandboxClock }) => {
    const { overviewOf } = await import('#server/jobs/overview');
    const { nextDue, readJobs } = await import('#server/for-operators');
    return overviewOf({
      jobs: config.mongodbUrl ? await inMongo(config.mongodbUrl) : await readJobs(database),
      msToNext: (kind) => nextDue[kind](database),
      clock: sandboxClock,
    });
  });

const inMongo = async (mongodbUrl: string) => {
  const { readJobsInMongo } = await import('#server/jobs/agenda');
  return readJobsInMongo(mongodbUrl, console.error);
};
