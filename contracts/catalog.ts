import { z } from 'zod';
import { type RawRoute, type Route, rawRoute, route } from './define.ts';
import { everyone } from './scopes.ts';

export const CatalogEntry = z
  .object({
    name: z.string().describe('Dotted name of the action'),
    description: z.string().describe('What it does, for people and models'),
    policy: z.enum(['Allowed', 'NeedsApproval']).describe('NeedsApproval: a human has to approve it in the app'),
    inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema of the input'),
  })
  .meta({ id: 'CatalogEntry', description: 'One action' });
export type CatalogEntry = z.output<typeof CatalogEntry>;

export const catalogRoutes = {
  catalog: route({
    method: 'GET',
    path: '/api/agent/tools',
    tag: 'Catalog',
    summary: 'List the actions',
    description:
      'Every action with its description, policy and input schema. The headers `Posthorn-User`, `Posthorn-Workspace`, `Posthorn-Workspace-Name` (percent-encoded) and `Posthorn-Role` name the owner, workspace and role of the token.',
    access: 'PersonalToken',
    roles: everyone,
    responses: {
      200: { description: 'The actions', contentType: 'application/json', body: z.array(CatalogEntry) },
    },
    errors: ['BadInput', 'Unauthorized', 'Forbidden', 'TooManyRequests', 'Internal'],
  }),
} as const satisfies Record<string, Route>;
export type CatalogRoutes = typeof catalogRoutes;

export const catalogPaths = {
  runAction: rawRoute({
    methods: ['POST'],
    path: '/api/agent/tools/:action',
    access: 'PersonalToken',
    handler: 'RunsActions',
    description: 'Runs an action for a program.',
  }),

  runActionAsPerson: rawRoute({
    methods: ['POST'],
    path: '/api/app/actions/:action',
    access: 'Session',
    handler: 'RunsActions',
    description: 'Runs an action for a person in the app, whose own click is the approval.',
  }),

  openapi: rawRoute({
    methods: ['GET'],
    path: '/openapi.json',
    access: 'Open',
    handler: 'Own',
    description: 'The OpenAPI document of this API.',
  }),

  appOpenapi: rawRoute({
    methods: ['GET'],
    path: '/openapi-app.json',
    access: 'Open',
    handler: 'Own',
    description: 'The OpenAPI document of the routes that only the app uses.',
  }),
} as const satisfies Record<string, RawRoute>;
