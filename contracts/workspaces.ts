import { z } from 'zod';
import { appRoute, ById, Empty, Name, type Route } from './define.ts';
import { SessionRecord } from './people.ts';

export const workspaceRoutes = {
  createWorkspace: appRoute({
    method: 'POST',
    path: '/api/app/workspaces',
    tag: 'Workspaces',
    summary: 'Make a workspace',
    description: 'You own it, and it opens at once. The operator decides who may make one (NEW_WORKSPACES).',
    body: z.strictObject({ name: Name }),
    answer: SessionRecord,
  }),

  openWorkspace: appRoute({
    method: 'POST',
    path: '/api/app/workspaces/:id/open',
    tag: 'Workspaces',
    summary: 'Switch to a workspace',
    description:
      'In this browser. MCP clients signed in as you act in the workspace you opened last, in whatever browser.',
    params: ById,
    body: Empty,
    answer: SessionRecord,
    more: ['NotFound'],
  }),

  changeWorkspace: appRoute({
    method: 'PATCH',
    path: '/api/app/workspace',
    tag: 'Workspaces',
    summary: 'Change the open workspace',
    description: 'Its name, and whether agents see the two statistics tools.',
    roles: ['owner'],
    body: z.strictObject({ name: Name.optional(), statisticsTools: z.boolean().optional() }),
    answer: SessionRecord,
  }),
} as const satisfies Record<string, Route>;
export type WorkspaceRoutes = typeof workspaceRoutes;
