import { z } from 'zod';
import { route } from './define.ts';

export const CatalogEntry = z
  .object({
    name: z.string().describe('Dotted name of the action'),
    description: z.string(),
    policy: z.enum(['Allowed', 'NeedsApproval']).describe('NeedsApproval: a human has to approve it in the app'),
    inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the input'),
  })
  .meta({ id: 'CatalogEntry' });
export type CatalogEntry = z.output<typeof CatalogEntry>;

/** Paths that are not actions. */
export const routes = {
  catalog: route({
    method: 'GET',
    path: '/api/agent/tools',
    tag: 'Catalog',
    summary: 'List the actions',
    description: 'Every action with its description, policy and input schema.',
    access: 'PersonalToken',
    responses: {
      200: { description: 'The actions', contentType: 'application/json', body: z.array(CatalogEntry) },
    },
    errors: ['Unauthorized', 'TooManyRequests', 'Internal'],
  }),
  alive: route({
    method: 'GET',
    path: '/healthz',
    tag: 'Health',
    summary: 'Is the process running?',
    description: 'Answers the text `ok` while the process runs.',
    access: 'Public',
    responses: { 200: { description: 'It runs', contentType: 'text/plain', body: z.literal('ok') } },
    errors: ['BadInput'],
  }),
  ready: route({
    method: 'GET',
    path: '/readyz',
    tag: 'Health',
    summary: 'Can it serve?',
    description: 'Answers 200 only when the database responds and the instance is not shutting down.',
    access: 'Public',
    responses: {
      200: { description: 'It can', contentType: 'text/plain', body: z.literal('ready') },
      503: { description: 'Not now; the text says why', contentType: 'text/plain', body: z.string() },
    },
    errors: ['BadInput'],
  }),
};
