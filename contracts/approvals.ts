import { z } from 'zod';
import { Account } from './accounts.ts';
import { appRoute, ById, Empty, type Route } from './define.ts';
import { Issue } from './errors.ts';
import { Post } from './posts.ts';
import { editors, everyone } from './scopes.ts';

export const cardStatuses = ['Open', 'Approved', 'Rejected', 'Outdated', 'Expired'] as const;
export type CardStatus = (typeof cardStatuses)[number];

export const ApprovalCard = z
  .object({
    id: z.string().describe('Card id, prefix `card_`'),
    status: z
      .enum(cardStatuses)
      .describe('Outdated: the post changed after the request. Expired: nobody decided within 7 days'),
    conversation: z.object({ id: z.string(), title: z.string().describe('`Requests from <client>`') }),
    client: z.string().describe('Name of the client that asked'),
    action: z.string().describe('Dotted name of the action that waits'),
    input: z.record(z.string(), z.unknown()).describe('What it will be called with'),
    requestedBy: z.string().describe('User whose agent asked'),
    post: Post.optional().describe('The post as it was at the request; approving is for this content only'),
    account: Account.optional().describe('The account it is about'),
    accounts: z.array(Account).describe('The accounts the post goes to'),
    validation: z
      .object({ issues: z.array(Issue), warnings: z.array(Issue) })
      .optional()
      .describe('The post against the limits of its networks, as of now; not in lists'),
    createdAt: z.string().describe('ISO-8601 instant'),
    expiresAt: z.string().describe('ISO-8601 instant'),
    decidedAt: z.string().optional().describe('ISO-8601 instant'),
    decidedBy: z.string().optional().describe('User who approved or rejected'),
  })
  .meta({ id: 'ApprovalCard', description: 'A request of an agent that waits for a human' });
export type ApprovalCard = z.output<typeof ApprovalCard>;

export const approvalRoutes = {
  listApprovals: appRoute({
    method: 'GET',
    path: '/api/approvals',
    tag: 'Approvals',
    summary: 'List approval cards',
    description: 'The requests of agents in the open workspace: the open ones, and the last that were decided.',
    roles: everyone,
    answer: z.object({ cards: z.array(ApprovalCard) }),
  }),

  getApproval: appRoute({
    method: 'GET',
    path: '/api/approvals/:id',
    tag: 'Approvals',
    summary: 'Read one card',
    description: 'What an agent asks for, with the post as it was at the request and its validation.',
    roles: everyone,
    params: ById,
    answer: ApprovalCard,
    more: ['NotFound'],
  }),

  approve: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/approve',
    tag: 'Approvals',
    summary: 'Approve',
    description:
      'Runs the action as you, after checking state, role and limits again. Conflict when the post changed since the request, or when it was decided already.',
    roles: editors,
    params: ById,
    body: Empty,
    answer: ApprovalCard,
    more: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),

  reject: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/reject',
    tag: 'Approvals',
    summary: 'Reject',
    description: 'Nothing runs.',
    roles: editors,
    params: ById,
    body: Empty,
    answer: ApprovalCard,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type ApprovalRoutes = typeof approvalRoutes;
