import { z } from 'zod';
import { appRoute, type Route } from './define.ts';
import { everyone } from './scopes.ts';

export const InstallationCheck = z
  .object({
    name: z.string().describe('What was checked, such as `late posts` or `disk space`'),
    level: z.enum(['warning', 'failure']).describe('A failure keeps a part of the service from working'),
    message: z.string().describe('What is wrong, then what to do'),
  })
  .meta({ id: 'InstallationCheck', description: 'Something that the operator should know about this server' });
export type InstallationCheck = z.output<typeof InstallationCheck>;

export const installationRoutes = {
  readInstallation: appRoute({
    method: 'GET',
    path: '/api/app/installation',
    tag: 'Installation',
    summary: 'List the problems of this server',
    description:
      'For whoever set Posthorn up: the checks of `posthorn doctor`, at most a minute old. Empty for everybody else.',
    roles: everyone,
    answer: z.object({ checks: z.array(InstallationCheck).describe('Failures first; empty when all is well') }),
  }),
} as const satisfies Record<string, Route>;
export type InstallationRoutes = typeof installationRoutes;
