import { z } from 'zod';
import { Account } from './accounts.ts';
import { textBounds } from './bounds.ts';
import { appRoute, byId, CanonicalInstant, Cursor, Id, Instant, isOneLine, NextCursor, type Route } from './define.ts';
import { type ErrorCode, errors, Issue } from './errors.ts';
import { AltText, MediaItem } from './media.ts';
import { PasskeyOptions, PasskeyResponse } from './passkeys.ts';
import { LinkCard, Post, VersionInput, Warnings } from './posts.ts';
import { editors, everyone } from './scopes.ts';

export const cardStatuses = ['Open', 'Approved', 'Rejected', 'Outdated', 'Expired'] as const;
export type CardStatus = (typeof cardStatuses)[number];

const Reason = z.string().trim().max(textBounds.reasonCharacters).refine(isOneLine, 'must be one line of plain text');

/** A person's own edit of what an agent asked for. */
export const ApprovalEdit = z
  .strictObject({
    versions: z
      .array(VersionInput)
      .min(1)
      .max(1 + textBounds.accounts)
      .optional()
      .describe('In place of all versions of the post, as posts.update takes them'),
    accountIds: z
      .array(Id)
      .min(1)
      .max(textBounds.accounts)
      .optional()
      .describe('The accounts of the request that it still goes to; leave out those that should not get it'),
    alts: z
      .array(z.strictObject({ mediaId: Id.describe('A file of the request'), alt: AltText }))
      .min(1)
      .max(textBounds.mediaPerItem)
      .optional()
      .describe('Alternative texts of files; every other post with such a file has them too'),
    scheduledAt: Instant.optional().describe('When it goes out, in place of the time that was asked for'),
  })
  .meta({ id: 'ApprovalEdit', description: 'What a person changes in a request before approving it' });
export type ApprovalEdit = z.output<typeof ApprovalEdit>;

const CardsToApprove = z
  .array(
    z.strictObject({
      id: Id.describe('Card id'),
      edit: ApprovalEdit.optional().describe('Your own change of it'),
    }),
  )
  .min(1)
  .max(50)
  .describe('The cards that you would approve, in any order');

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
    client: z.string().describe('Name of the client that asked, or of the person where isOwn is true'),
    isOwn: z.literal(true).optional().describe('The person asked in the app, not an agent of theirs'),
    decision: z
      .object({
        allowed: z.boolean().describe('Whether you may approve it'),
        note: z.string().optional().describe('Why not, or what is special about it'),
      })
      .optional()
      .describe('While it is open: whether you decide it'),
    action: z.string().describe('Dotted name of the action that waits'),
    input: z.record(z.string(), z.unknown()).describe('The input it will run with'),
    sentence: z
      .string()
      .describe(
        'What a person decides, such as `Publish this post now`; also what stays public when a post is deleted',
      ),
    verb: z.string().describe('Label of the button that approves, such as `Approve and publish`'),
    requestedBy: z.string().describe('User who asked, or whose agent asked'),
    requestedByName: z.string().describe('Their e-mail address'),
    post: Post.optional().describe('The post as it was at the request; approving is for this content only'),
    becomes: Post.optional().describe('For a change of a scheduled post: the post as it would be'),
    edited: Post.optional().describe('When it was approved with an edit: the post as that person changed it'),
    editedAlts: z
      .array(
        z.object({
          mediaId: z.string().describe('Media id'),
          before: z.string().describe('The alternative text at the request; empty for none'),
          alt: z.string().describe('What that person changed it to'),
        }),
      )
      .optional()
      .describe('When it was approved with an edit: the alternative texts that it changed'),
    reason: z.string().optional().describe('When Rejected: why, in the words of the person who rejected it'),
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
      .describe(
        'Pictures and videos that were fitted to a network, as they were at the request; they are sent as shown',
      ),
    preparing: z
      .literal(true)
      .optional()
      .describe(
        'Files are still being fitted to a network; they are in `fitted`, and it can be approved, when that is done',
      ),
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
  .meta({
    id: 'ApprovalCard',
    description: 'A request of an agent, or of a person who may not publish, that a human decides',
  });
export type ApprovalCard = z.output<typeof ApprovalCard>;

export const approvalRoutes = {
  listApprovals: appRoute({
    method: 'GET',
    path: '/api/approvals',
    tag: 'Approvals',
    summary: 'List approval cards',
    description:
      'The requests of agents and of people who may not publish in the open workspace, a page at a time: the open ones first, then those that were decided, newest first.',
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

  checkApprovals: appRoute({
    method: 'POST',
    path: '/api/app/approvals/check',
    tag: 'Approvals',
    summary: 'Check what approving would do',
    description:
      'Approves these cards one after the other and undoes all of it, so that you learn before your yes what each would answer. Nothing is sent or changed.',
    roles: editors,
    body: z.strictObject({ cards: CardsToApprove }),
    answer: z.object({
      results: z
        .array(
          z.object({
            id: z.string().describe('Card id'),
            error: z
              .object({
                code: z.enum(Object.keys(errors) as ErrorCode[]).describe('What approving would answer'),
                message: z.string().describe('Why, and what to do'),
                issues: z.array(Issue).describe('Broken limits, one by one'),
              })
              .optional()
              .describe('Why approving it would be refused; absent: it would run'),
            sameMinute: z
              .array(
                z.object({
                  id: z.string().describe('Post id, prefix `post_`'),
                  text: z.string().describe('Its first words'),
                }),
              )
              .describe('Other posts that would go out in the same minute to one of its accounts'),
          }),
        )
        .describe('One for each card'),
    }),
  }),

  confirmApprovals: appRoute({
    method: 'POST',
    path: '/api/app/approvals/confirm',
    tag: 'Approvals',
    summary: 'Begin to approve with a passkey',
    description:
      'Returns what the browser asks your passkey to sign: a nonce, hashed with the content of all these cards, your edits included. Refused when one of them could not be approved now. Send the answer with each `approve`; when a post changes in between, that is refused.',
    roles: editors,
    body: z.strictObject({ cards: CardsToApprove }),
    answer: z.object({
      id: z.string().describe('Confirmation id, prefix `cnf_`'),
      options: PasskeyOptions.shape.options,
    }),
    more: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),

  approve: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/approve',
    tag: 'Approvals',
    summary: 'Approve',
    description:
      'Runs the action as you, after checking state, role and limits again. With `edit` the post is changed first, as you, and the yes is for the edited post. Where the workspace asks for a passkey, it needs `confirmation`. Where approvers alone publish, only they decide. Nobody approves their own request, unless there is no other approver. Conflict when the post changed since the request, or when it was decided already.',
    roles: editors,
    params: byId('Card id'),
    body: z.strictObject({
      edit: ApprovalEdit.optional().describe('Your own change; refused for a deletion'),
      confirmation: z
        .strictObject({
          id: Id.describe('Of confirmApprovals'),
          response: PasskeyResponse,
        })
        .optional()
        .describe('Your passkey’s answer for this card or a pass with it; without `edit`, which it names already'),
    }),
    answer: ApprovalCard,
    more: ['Invalid', 'PlanLimit', 'NotFound', 'Conflict'],
  }),

  reject: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/reject',
    tag: 'Approvals',
    summary: 'Reject',
    description:
      'Nothing runs. A request whose post has changed can be rejected too, and your own can be taken back. The client reads the reason, as the words of a person.',
    roles: editors,
    params: byId('Card id'),
    body: z.strictObject({
      reason: Reason.optional().describe('Why, in one line of plain text; the client and the history show it'),
    }),
    answer: ApprovalCard,
    more: ['NotFound', 'Conflict'],
  }),

  reopenApproval: appRoute({
    method: 'POST',
    path: '/api/approvals/:id/reopen',
    tag: 'Approvals',
    summary: 'Undo a rejection',
    description:
      'Opens a request again that you rejected less than 15 seconds ago. Conflict when something else happened: the post changed, or the client asked again.',
    roles: editors,
    params: byId('Card id'),
    body: z.strictObject({}),
    answer: ApprovalCard,
    more: ['NotFound', 'Conflict'],
  }),
} as const satisfies Record<string, Route>;
export type ApprovalRoutes = typeof approvalRoutes;
