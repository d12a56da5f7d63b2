import { z } from 'zod';
import {
  appRoute,
  byId,
  CanonicalInstant,
  Cursor,
  Deleted,
  Done,
  Empty,
  NextCursor,
  Person,
  type Route,
} from './define.ts';
import { Client } from './history.ts';
import { Post, PostSummary } from './posts.ts';
import { admins, editors } from './scopes.ts';

/** How long a deleted post can be restored. */
export const binDays = 30;

export const DeletedPost = z
  .object({
    ...PostSummary.pick({ id: true, text: true, items: true, thumbnail: true, scheduledAt: true }).shape,
    status: PostSummary.shape.status.describe('Before it was deleted: Draft, Scheduled or Failed'),
    accountIds: z.array(z.string()).describe('Accounts it was for'),
    reachedAccountIds: z
      .array(z.string())
      .describe('Those that have it, or may have it: it stays there, and the restored draft is not for them'),
    deletedAt: CanonicalInstant,
    deletedBy: Person.optional().describe('Absent when this person is no longer here'),
    client: Client.optional().describe('What they used'),
    goneAt: CanonicalInstant.describe('ISO-8601 instant from which it can no longer be restored'),
    mayDelete: z.boolean().describe('Whether you may delete it for good'),
  })
  .meta({ id: 'DeletedPost', description: 'A post in the bin' });
export type DeletedPost = z.output<typeof DeletedPost>;

const route = { tag: 'Bin' } as const;

export const binRoutes = {
  listBin: appRoute({
    ...route,
    method: 'GET',
    path: '/api/app/bin',
    summary: 'List deleted posts',
    description: `The last deleted first. A deleted post stays here for ${binDays} days, however it was deleted; for API and MCP callers it is gone at once.`,
    roles: editors,
    query: z.strictObject({ cursor: Cursor }),
    answer: z.object({
      posts: z.array(DeletedPost).describe('At most 50, the last deleted first'),
      total: z.int().describe('How many are in the bin'),
      nextCursor: NextCursor,
    }),
  }),

  restorePost: appRoute({
    ...route,
    method: 'POST',
    path: '/api/app/bin/:id/restore',
    summary: 'Restore a deleted post',
    description:
      'It becomes a Draft with its old id, its labels, comments and history. Its time stays as a suggestion. Accounts that have the post, or may have it, are left out, so that nothing is sent to them twice. Review links and numbers do not come back.',
    roles: editors,
    params: byId('Post id'),
    body: Empty,
    answer: z.object({
      post: Post,
      leftOut: z.array(z.string()).describe('Accounts that have the post, or may have it'),
      lostFiles: z.int().describe('Files that were deleted from the media library meanwhile, and are no longer in it'),
    }),
    more: ['NotFound'],
  }),

  deleteForGood: appRoute({
    ...route,
    method: 'DELETE',
    path: '/api/app/bin/:id',
    summary: 'Delete a post for good',
    description: 'Owners and admins may delete any post in the bin, editors the posts that they wrote.',
    roles: editors,
    params: byId('Post id'),
    answer: Deleted,
    more: ['NotFound'],
  }),

  emptyBin: appRoute({
    ...route,
    method: 'DELETE',
    path: '/api/app/bin',
    summary: 'Empty the bin',
    description: 'Deletes all posts in the bin for good.',
    roles: admins,
    answer: Done,
  }),
} as const satisfies Record<string, Route>;
export type BinRoutes = typeof binRoutes;
