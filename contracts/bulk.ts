import { z } from 'zod';
import { appRoute, CanonicalInstant, Id, InstantOrEmpty, type Route, TimeZone } from './define.ts';
import { PostFilter, PostSummary, postStatuses } from './posts.ts';
import { editors } from './scopes.ts';

/** How many posts can be selected at once. */
export const bulkPosts = 2000;
/** How many of them one request changes. */
export const bulkBatch = 100;
/** How many get a new time at once. */
export const bulkMoves = 200;

export const bulkChanges = [
  'Delete',
  'Restore',
  'Unschedule',
  'Schedule',
  'Move',
  'AddAccount',
  'RemoveAccount',
] as const;
export type BulkChange = (typeof bulkChanges)[number];

export const SelectedPost = PostSummary.pick({
  id: true,
  status: true,
  text: true,
  accountIds: true,
  scheduledAt: true,
})
  .extend({ labelIds: PostSummary.shape.labelIds })
  .meta({ id: 'SelectedPost', description: 'What a bulk change needs to know of a post' });
export type SelectedPost = z.output<typeof SelectedPost>;

export const BulkResult = z
  .object({
    id: z.string().describe('Post id, prefix `post_`'),
    done: z.boolean().describe('False when a rule refused it; the post is then unchanged'),
    asked: z.boolean().optional().describe('It is a request now, because you may not publish; message says of whom'),
    code: z.string().optional().describe('Error code of the refusal'),
    message: z.string().optional().describe('Why it was refused, and what to do'),
  })
  .meta({ id: 'BulkResult', description: 'What became of one post of a bulk change' });
export type BulkResult = z.output<typeof BulkResult>;

export const PlannedMove = z
  .object({
    id: z.string().describe('Post id, prefix `post_`'),
    before: CanonicalInstant.optional().describe('ISO-8601 instant that it has now'),
    at: CanonicalInstant.optional().describe('ISO-8601 instant that it would get; absent when it cannot be moved'),
    problem: z.string().optional().describe('Why it cannot be moved'),
  })
  .meta({ id: 'PlannedMove', description: 'The new time of one post' });
export type PlannedMove = z.output<typeof PlannedMove>;

const Ids = (max: number) => z.array(Id).min(1).max(max).describe('Ids of posts');
const route = { tag: 'Bulk' } as const;

export const bulkRoutes = {
  selectPosts: appRoute({
    ...route,
    method: 'GET',
    path: '/api/app/bulk/posts',
    summary: 'Select all posts of a filter',
    description: `The newest ${bulkPosts} posts that match, without paging.`,
    roles: editors,
    query: z.strictObject({ status: z.enum(postStatuses).optional().describe('Only this status'), ...PostFilter }),
    answer: z.object({ posts: z.array(SelectedPost).describe(`The newest first, at most ${bulkPosts}`) }),
  }),

  changePosts: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/bulk/changes',
    summary: 'Change several posts',
    description:
      'Changes post after post by the rules for a single one, for about a second. Posts without a result were not reached: send them again. Repeating a request does nothing twice. Schedule and Move take the time of each post; Move leaves the status alone, so a draft keeps the time as a suggestion.',
    roles: editors,
    body: z.strictObject({
      change: z.enum(bulkChanges).describe('What to do with each'),
      posts: z
        .array(
          z.strictObject({
            id: Id.describe('Post id'),
            at: InstantOrEmpty.default('').describe(
              'Schedule and Move: the new time as ISO-8601 instant; empty takes a suggestion away',
            ),
          }),
        )
        .min(1)
        .max(bulkBatch)
        .describe('In this order'),
      accountId: Id.optional().describe('AddAccount and RemoveAccount: the account'),
    }),
    answer: z.object({ results: z.array(BulkResult).describe('One per post that was reached, in the same order') }),
  }),

  planMoves: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/bulk/plan',
    summary: 'Plan new times for several posts',
    description:
      'Changes nothing. Keeps the order of the posts by their time and gives each the next slot from the day on that is free for its accounts; slots that these posts leave are free too.',
    roles: editors,
    body: z.strictObject({
      ids: Ids(bulkMoves),
      from: z.iso
        .date()
        .describe('The first day, such as 2026-11-19')
        .meta({ examples: ['2026-11-19'] }),
      timeZone: TimeZone.describe('IANA name: where the day begins'),
    }),
    answer: z.object({ moves: z.array(PlannedMove).describe('In the order of the new times; those without one last') }),
  }),
} as const satisfies Record<string, Route>;
export type BulkRoutes = typeof bulkRoutes;
