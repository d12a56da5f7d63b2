import { z } from 'zod';
import { Account } from './accounts.ts';
import { appRoute, byId, CanonicalInstant, Cursor, Empty, NextCursor, type Route } from './define.ts';
import { Issue } from './errors.ts';
import { MediaItem } from './media.ts';
import { LinkCard, Post, Warnings } from './posts.ts';
import { editors, everyone } from './scopes.ts';

export const cardStatuses = ['Open', 'Approved', 'Rejected', 'Outdated', 'Expired'] as const;
export type CardStatus = (typeof cardStatuses)[number];

export const ApprovalCard = z
  .object({
    id: z.string().describe('Card id, prefix `card_`'),
    status: z
      .enum(cardStatuses)
      .describe('Outdated: the post changed after the request. Expired: nobody decided within 7 days'),
    conversation: z
      .object({
        id: z.string().describe('Conversation id, prefix `conv_`'),
        title: z.string().describe('`Requests from <client>`'),
      })
      .describe('Groups the requests of one client'),
    client: z.string().describe('Name of the client that asked'),
    action: z.string().describe('Dotted name of the action that waits'),
    input: z.record(z.string(), z.unknown()).describe('The input it will run with'),
    sentence: z
      .string()
      .describe(
        'What a person decides, such as `Publish this post now`; also what stays public when a post is deleted',
      ),
    verb: z.string().describe('Label of the button that approves, such as `Approve and publish`'),
    requestedBy: z.string().describe('User whose agent asked'),
    requestedByName: z.string().describe('Their e-mail address'),
    post: Post.optional().describe('The post as it was at the request; approving is for this content only'),
    becomes: Post.optional().describe('For a change of a scheduled post: the post as it would be'),
    media: z
      .array(MediaItem)
      .describe('The files of the post with their alternative texts, as they were at the request'),
    fitted: z
      .array(
        z.object({
          accountId: z.string().describe('Account that gets it'),
          mediaId: z.string().describe('The file that breaks a limit of the account'),
          media: MediaItem.describe('What the account gets in its place'),
        }),
      )
      .describe('Pictures that were fitted to a network, as they were at the request; they are sent as shown'),
    linkCards: z
      .array(LinkCard)
      .describe('Previews of pages that the post links to, as they were at the request; they are sent as shown'),
    account: Account.optional().describe('The account it is about'),
    accounts: z
      .array(Account)
      .describe('The accounts the post goes to; for a change, also those that it would go to no longer'),
    validation: z
      .object({
        issues: z.array(Issue).describe('Broken limits; while there is one it cannot be approved'),
        warnings: Warnings,
      })
      .optional()
      .describe('The post, or what it would become, against the limits of its networks, as of now; not in lists'),
    scheduledPosts: z
      .array(
        z.object({
          id: z.string().describe('Post id, prefix `post_`'),
          text: z.string().describe('Its first words'),
          scheduledAt: CanonicalInstant,
        }),
      )
      .optional()
      .describe('With `account`: up to 100 scheduled posts that would fail for it, the next first; not in lists'),
    changedPost: Post.optional().describe(
      'When Outdated: the post as it is now; absent when it was deleted, or nothing changed; not in lists',
    ),
    createdAt: CanonicalInstant,
    expiresAt: CanonicalInstant,
    decidedAt: CanonicalInstant.optional(),
    decidedBy: z.string().optional().describe('User who approved or rejected'),
    decidedByName: z.string().optional().describe('Their e-mail address'),
  })
  .meta({ id: 'ApprovalCard', description: 'An agent’s request that waits for a human' });
export type ApprovalCard = z.output<typeof ApprovalCard>;

export const approvalRoutes = {
  listApprovals: appRoute({
    method: 'GET',
    path: '/api/approvals',
    tag: 'Approvals',
    summary: 'List approval cards',
    description:
      'The requests of agents in the open workspace, a page at a time: the open ones first, then those that were decided, newest first.',
    roles: everyone,
    query: z.strictObject({
      status: z.enum(cardStatuses).optional().describe('Only cards with this status'),
      cursor: Cursor,
    }),
    answer: z.object({
      cards: z.array(ApprovalCard).describe('The open ones first; at most 50'),
      nextCursor: NextCursor,
    }),
  }),

  getApproval: appRoute({
    method: 'GET',
    path: '/api/approvals/:id',
    tag: 'Approvals',
    summary: 'Read one card',
    description: 'What an agent asks for, with the post as it was at the request and its validation.',
    roles: everyone,
    params: byId('Card id'),
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
    params: byId('Card id'),
    body: Empty,
    answer: ApprovalCard,
    more: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),

  reject: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/reject',
    tag: 'Approvals',
    summary: 'Reject',
    description: 'Nothing runs. A request whose post has changed can be rejected too.',
    roles: editors,
    params: byId('Card id'),
    body: Empty,
    answer: ApprovalCard,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type ApprovalRoutes = typeof approvalRoutes;
