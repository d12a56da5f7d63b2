// The actions of the figure rest, beside other frameworks that keep the same promises.
import { join } from 'node:path';
import { contest } from '../contest.mjs';
import { enterWith } from '../rest/measure.mjs';

const frameworks = {
  'Fastify 5': 'fastify',
  'Hono 4': 'hono',
  'NestJS 12 on Express': 'nest',
  'tRPC 11': 'trpc',
  'oRPC 1': 'orpc',
};

const startServers = async ({ contender, service, folder }) => [
  await service('Posthorn'),
  ...(await Promise.all(
    Object.entries(frameworks).map(([name, file]) =>
      contender(name, `peers/servers/${file}.mjs`, { LOG_FILE: join(folder, `${file}.log`) }),
    ),
  )),
];

export const measure = (options) =>
  contest(
    {
      title: 'peers',
      intro: '; the others keep the same promises: token, limit, request id, log line, checked input and output',
      connections: 32,
      enter: enterWith(startServers),
    },
    options,
  );
