import { type Command, using } from './command.ts';

export const jobs: Command = (config) =>
  using(config, async ({ connection, database, sandboxClock }) => {
    const { readJobs } = await import('#server/jobs/agenda');
    const { overviewOf } = await import('#server/jobs/overview');
    const { nextDue } = await import('#server/for-operators');
    return overviewOf({
      jobs: await readJobs({ connection, mongodbUrl: config.mongodbUrl, report: console.error }),
      msToNext: (kind) => nextDue[kind](database),
      clock: sandboxClock,
    });
  });
