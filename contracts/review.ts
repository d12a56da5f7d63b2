import { z } from 'zod';
import { AccountName, Handle } from './accounts.ts';
import {
  appRoute,
  byId,
  CanonicalInstant,
  Done,
  Id,
  Instant,
  isOneLine,
  isPlainName,
  Person,
  plainNameMessage,
  publicRoute,
  type RawRoute,
  type Route,
  rawRoute,
} from './define.ts';
import { MediaItem } from './media.ts';
import { ContentItem, LinkCard, Status, Version } from './posts.ts';
import { Badge, Constraints, NetworkKey, ProviderName } from './providers.ts';
import { admins, editors, everyone } from './scopes.ts';

export const commentCharacters = 2_000;

const CommentBody = z.string().trim().min(1).max(commentCharacters).describe('Plain text; `@name` mentions a member');

export const Comment = z
  .object({
    id: z.string().describe('Comment id, prefix `cmt_`'),
    author: Person.describe('Who wrote it'),
    body: z.string().describe('Plain text'),
    mentions: z.array(Person).describe('The members whose `@name` is in it'),
    createdAt: CanonicalInstant,
    editedAt: z.string().optional().describe('ISO-8601 instant; absent when it is as it was written'),
    mayEdit: z.boolean().describe('True for your own'),
    mayDelete: z.boolean().describe('True for your own, and for all when you are an owner or admin'),
  })
  .meta({ id: 'Comment', description: 'What a member wrote about a post; it never leaves the workspace' });
export type Comment = z.output<typeof Comment>;

export const Share = z
  .object({
    id: z.string().describe('Share id, prefix `shr_`'),
    madeBy: z.string().describe('Name of the person'),
    invitesAdvice: z.boolean().describe('Whether people who have it may leave advice'),
    createdAt: CanonicalInstant,
    expiresAt: CanonicalInstant,
  })
  .meta({ id: 'Share', description: 'A review link: anybody who has it sees one post' });
export type Share = z.output<typeof Share>;

/** Control characters, and those that turn the direction of text, could make words look like others. */
const isPlain = (text: string) => isOneLine(text.replaceAll(/[\n\t\u2028\u2029]/g, ''));

export const verdicts = ['Comment', 'Fine', 'Change'] as const;
const Verdict = z.enum(verdicts).describe('Fine: fine by me. Change: please change. Comment: neither');

const NewAdvice = z
  .strictObject({
    secret: Id.describe('What follows /review/ in the address'),
    name: z
      .string()
      .trim()
      .min(1)
      .max(80)
      .refine(isPlainName, plainNameMessage)
      .describe('What you are called; nobody checks it, and members see that'),
    verdict: Verdict,
    body: z
      .string()
      .transform((text) => text.replaceAll('\r\n', '\n').trim())
      .pipe(z.string().max(commentCharacters).refine(isPlain, 'must be plain text without control characters'))
      .default('')
      .describe('Plain text; needed for a Comment'),
    updatedAt: Instant.describe('updatedAt of the post that you saw'),
  })
  .refine(({ verdict, body }) => verdict !== 'Comment' || body !== '', { path: ['body'], message: 'is required' });
export type NewAdvice = z.output<typeof NewAdvice>;

export const Advice = z
  .object({
    id: z.string().describe('Advice id, prefix `adv_`'),
    name: z.string().describe('The name that the person gave; nobody checked it'),
    verdict: Verdict,
    body: z.string().describe('Plain text; may be empty'),
    isCurrent: z.boolean().describe('False when the post was changed after they saw it'),
    createdAt: CanonicalInstant,
  })
  .meta({ id: 'Advice', description: 'What somebody without an account said about a post on a review link' });
export type Advice = z.output<typeof Advice>;

const SharedFile = z.object({
  key: z.string().describe('Only for this share, for /review/{secret}/media/{key}'),
  ...MediaItem.pick({ kind: true, alt: true, width: true, height: true, durationMs: true }).shape,
});

export const SharedPost = z
  .object({
    status: Status,
    scheduledAt: z.string().optional().describe('ISO-8601 instant at which it goes out, or went out'),
    updatedAt: CanonicalInstant,
    expiresAt: z.string().describe('ISO-8601 instant at which the link ends'),
    invitesAdvice: z.boolean().describe('Whether you may leave advice, see addAdvice'),
    now: z.string().describe('ISO-8601 instant of this answer'),
    accounts: z
      .array(
        z.object({
          network: NetworkKey,
          provider: ProviderName,
          badge: Badge,
          name: AccountName,
          handle: Handle,
          avatar: z.string().optional().describe('Only for this share, for /review/{secret}/avatars/{key}'),
          constraints: Constraints,
          titleKey: z.string().optional().describe('The option that is its title, where the network has one'),
          options: Version.shape.options,
          labels: z
            .record(z.string(), z.string())
            .describe('What the chosen values of options are called, by option key, such as the name of a board'),
          linkCards: z.array(LinkCard).describe('Link cards that go out with it'),
          cover: z.string().optional().describe('Key of the file that an option names, such as the picture of a video'),
          coverMs: z.int().optional().describe('The moment of a video that is its cover, in milliseconds'),
          firstComment: z.string().optional().describe('Where the network has one and it is set'),
          items: z
            .array(
              z.object({
                body: ContentItem.shape.body,
                media: z.array(SharedFile).describe('In display order'),
              }),
            )
            .describe('The items in order; a thread has several'),
        }),
      )
      .describe('One for each account it goes to'),
  })
  .meta({ id: 'SharedPost', description: 'A post as each of its accounts would get it now' });
export type SharedPost = z.output<typeof SharedPost>;

export const reviewRoutes = {
  listComments: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/comments',
    tag: 'Review',
    summary: 'Read the comments on a post',
    description: 'Oldest first. They are only for members and are never sent to a network.',
    roles: everyone,
    params: byId('Post id'),
    answer: z.object({ comments: z.array(Comment).describe('The oldest first') }),
    more: ['NotFound'],
  }),

  addComment: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/comments',
    tag: 'Review',
    summary: 'Comment on a post',
    description: 'Every member may, viewers too.',
    roles: everyone,
    params: byId('Post id'),
    body: z.strictObject({ body: CommentBody }),
    idempotent: true,
    answer: Comment,
    more: ['NotFound', 'Conflict'],
  }),

  editComment: appRoute({
    method: 'PATCH',
    path: '/api/app/comments/:id',
    tag: 'Review',
    summary: 'Change a comment',
    description: 'Only your own.',
    roles: everyone,
    params: byId('Comment id'),
    body: z.strictObject({ body: CommentBody }),
    answer: Comment,
    more: ['NotFound'],
  }),

  deleteComment: appRoute({
    method: 'DELETE',
    path: '/api/app/comments/:id',
    tag: 'Review',
    summary: 'Delete a comment',
    description: 'Your own, or anybody’s as an owner or admin.',
    roles: everyone,
    params: byId('Comment id'),
    answer: Done,
    more: ['NotFound'],
  }),

  listShares: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/shares',
    tag: 'Review',
    summary: 'List the review links of a post',
    description: 'The links that work now, newest first, without their secrets.',
    roles: editors,
    params: byId('Post id'),
    answer: z.object({ shares: z.array(Share).describe('The newest first') }),
    more: ['NotFound'],
  }),

  sharePost: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/shares',
    tag: 'Review',
    summary: 'Share a post for review',
    description:
      'Creates a link with which anybody sees the post as it is at that moment, and nothing else. With `invitesAdvice` they may leave advice, which decides nothing. The link is in this answer and nowhere else.',
    roles: editors,
    params: byId('Post id'),
    body: z.strictObject({
      days: z.int().min(1).max(30).default(7).describe('Days until it ends by itself'),
      invitesAdvice: z.boolean().default(false).describe('Whether people who have it may leave advice'),
    }),
    idempotent: {
      onRepeat:
        'This review link exists already, and its address is shown only once. Revoke it, then create a new one.',
    },
    answer: Share.extend({ url: z.string().describe('Link to pass on; shown only this once') }),
    more: ['NotFound', 'Conflict'],
  }),

  revokeShare: appRoute({
    method: 'DELETE',
    path: '/api/app/shares/:id',
    tag: 'Review',
    summary: 'End a review link',
    description: 'It stops working at once.',
    roles: editors,
    params: byId('Share id'),
    answer: Done,
    more: ['NotFound'],
  }),

  listAdvice: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/advice',
    tag: 'Review',
    summary: 'Read what people said on review links',
    description: 'Of people without an account, oldest first. It is only for members: no token or agent reads it.',
    roles: everyone,
    params: byId('Post id'),
    answer: z.object({ advice: z.array(Advice).describe('The oldest first') }),
    more: ['NotFound'],
  }),

  deleteAdvice: appRoute({
    method: 'DELETE',
    path: '/api/app/advice/:id',
    tag: 'Review',
    summary: 'Delete what somebody said on a review link',
    description: 'For words that do not belong there.',
    roles: admins,
    params: byId('Advice id'),
    answer: Done,
    more: ['NotFound'],
  }),

  addAdvice: publicRoute({
    method: 'POST',
    path: '/api/review/advice',
    tag: 'Review',
    summary: 'Say something about a shared post',
    description:
      'For anybody who has a link that invites advice: at most 50 per link. Members of the workspace read them; they change and publish nothing.',
    body: NewAdvice,
    answer: Done,
    more: ['NotFound', 'Conflict'],
  }),

  openShare: publicRoute({
    method: 'POST',
    path: '/api/review',
    tag: 'Review',
    summary: 'See a shared post',
    description: 'For anybody who has the link. A wrong, expired or revoked one is NotFound.',
    body: z.strictObject({ secret: Id.describe('What follows /review/ in the address') }),
    answer: SharedPost,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type ReviewRoutes = typeof reviewRoutes;

export const reviewPaths = {
  reviewPage: rawRoute({
    methods: ['GET'],
    path: '/review/:secret',
    access: 'Open',
    handler: 'Own',
    description: 'The page of a shared post, for a browser without a session.',
  }),

  reviewMedia: rawRoute({
    methods: ['GET'],
    path: '/review/:secret/media/:key',
    access: 'Open',
    handler: 'Own',
    description: 'A file of a shared post, while the link works and the post has it.',
  }),
  reviewAvatar: rawRoute({
    methods: ['GET'],
    path: '/review/:secret/avatars/:key',
    access: 'Open',
    handler: 'Own',
    description: 'The picture of an account that the shared post goes to.',
  }),
} as const satisfies Record<string, RawRoute>;
