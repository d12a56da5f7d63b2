import { z } from 'zod';
import { appRoute, byId, Empty, Id, Name, type Route } from './define.ts';
import { FactorProof } from './passkeys.ts';
import { PublishersField, SessionRecord } from './people.ts';

const NameAgain = z.string().max(100).describe('Name of the open workspace, as a confirmation');

export const workspaceRoutes = {
  createWorkspace: appRoute({
    method: 'POST',
    path: '/api/app/workspaces',
    tag: 'Workspaces',
    summary: 'Create a workspace',
    description: 'You own it, and it opens at once. NEW_WORKSPACES says who may create one.',
    body: z.strictObject({ name: Name.describe('What its members call it') }),
    answer: SessionRecord,
  }),

  openWorkspace: appRoute({
    method: 'POST',
    path: '/api/app/workspaces/:id/open',
    tag: 'Workspaces',
    summary: 'Switch to a workspace',
    description:
      'In this browser. MCP clients signed in as you act in the workspace you opened last, in whatever browser.',
    params: byId('Workspace id'),
    body: Empty,
    answer: SessionRecord,
    more: ['NotFound'],
  }),

  changeWorkspace: appRoute({
    method: 'PATCH',
    path: '/api/app/workspace',
    tag: 'Workspaces',
    summary: 'Change the open workspace',
    description:
      'Its name, who may publish and how they approve, and whether agents see the two statistics tools. Open requests stay open. Switching off `twoFactors` or `approvalPasskey` asks for your password or a code.',
    roles: ['owner'],
    body: z.strictObject({
      name: Name.optional().describe('What its members call it'),
      statisticsTools: z.boolean().optional().describe('Whether posts_metrics and analytics_summary are in tools/list'),
      publishers: PublishersField.optional(),
      twoFactors: z
        .boolean()
        .optional()
        .describe('Whether members need a second factor; only somebody who has one switches it on'),
      approvalPasskey: z
        .boolean()
        .optional()
        .describe('Whether a yes takes a passkey; only somebody who has one switches it on'),
      ...FactorProof.partial().shape,
    }),
    answer: SessionRecord,
  }),

  handOver: appRoute({
    method: 'POST',
    path: '/api/app/workspace/owner',
    tag: 'Workspaces',
    summary: 'Hand the open workspace over',
    description: 'That member becomes an owner and you become an admin. `name` repeats the name of the workspace.',
    roles: ['owner'],
    body: z.strictObject({ userId: Id.describe('User id of the member'), name: NameAgain }),
    answer: SessionRecord,
    more: ['NotFound'],
  }),

  askDeletion: appRoute({
    method: 'POST',
    path: '/api/app/workspace/deletion',
    tag: 'Workspaces',
    summary: 'Delete the open workspace',
    description:
      'In 7 days; until then an owner can cancel it. Publishing stops at once: scheduled posts do not go out, and nothing can be scheduled or published. `name` repeats the name of the workspace.',
    roles: ['owner'],
    body: z.strictObject({ name: NameAgain }),
    answer: SessionRecord,
  }),

  takeBackDeletion: appRoute({
    method: 'DELETE',
    path: '/api/app/workspace/deletion',
    tag: 'Workspaces',
    summary: 'Cancel the deletion of the open workspace',
    description:
      'Publishing resumes. Scheduled posts whose time passed meanwhile go out at once, or fail as missed when they are later than LATE_GRACE.',
    roles: ['owner'],
    answer: SessionRecord,
  }),
} as const satisfies Record<string, Route>;
export type WorkspaceRoutes = typeof workspaceRoutes;
