import { type Command, usingAll } from './command.ts';

export const jobs: Command = (config) =>
  usingAll(config, async ({ connection, posthorn }) => {
    const { mongodbUrl } = config;
    const { openAgenda } = await import('#server/jobs/agenda');
    const agenda = await openAgenda({ connection, mongodbUrl, name: 'posthorn jobs', report: console.error });
    try {
      return await posthorn.jobs.overview(agenda);
    } finally {
      await agenda.close();
    }
  });
