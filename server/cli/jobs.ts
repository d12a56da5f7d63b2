import { type Command, using } from './command.ts';

export const jobs: Command = (config) =>
  using(config, async ({ connection }) => {
    const { mongodbUrl } = config;
    const { openAgenda } = await import('#server/jobs/agenda');
    const { jobsOverview } = await import('#server/jobs/jobs');
    const agenda = await openAgenda({ connection, mongodbUrl, name: 'posthorn jobs', report: console.error });
    try {
      return await jobsOverview(agenda);
    } finally {
      await agenda.close();
    }
  });
