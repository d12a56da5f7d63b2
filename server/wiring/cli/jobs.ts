import { type Command, using } from './command.ts';

export const jobs: Command = (config) =>
  using(config, async ({ database, sandboxClock, registry }) => {
    const { overviewOf } = await import('#server/base/jobs/overview');
    const { readJobs } = await import('#server/base/jobs/read-jobs');
    const due = registry.due();
    return overviewOf({
      jobs: await readJobs(database, config.mongodbUrl, console.error),
      msToNext: (kind) => due[kind](),
      clock: sandboxClock,
    });
  });
