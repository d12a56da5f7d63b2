import { z } from 'zod';
import { appRoute, byId, Person, type Route } from './define.ts';
import { MediaItem } from './media.ts';
import { Post } from './posts.ts';
import { everyone } from './scopes.ts';

export const clientKinds = ['App', 'Token', 'Mcp', 'Assistant', 'Import'] as const;

export const Client = z
  .object({
    kind: z.enum(clientKinds).describe('Mcp: an MCP client. Token: a program with a personal token. Import: a file'),
    name: z.string().optional().describe('Name of the token, or the name that the MCP client gives itself'),
  })
  .meta({ id: 'ClientUsed', description: 'What a person used to do something' });
export type Client = z.output<typeof Client>;

export const changes = ['Text', 'Media', 'Options', 'Accounts'] as const;
export type ChangeOf = (typeof changes)[number];

export const historyKinds = [
  'Created',
  'Edited',
  'Scheduled',
  'Unscheduled',
  'Publishing',
  'Deleted',
  'Restored',
  'Requested',
  'Approved',
  'Rejected',
  'Published',
  'Failed',
] as const;

export const HistoryEntry = z
  .object({
    id: z.string().describe('Id of this entry; no other operation takes it'),
    kind: z
      .enum(historyKinds)
      .describe(
        'Publishing: a person published it. Deleted: it went to the bin. Restored: it came back. Requested, Approved, Rejected: a request of an agent',
      ),
    at: z.string().describe('ISO-8601 instant; the last of several small steps'),
    since: z.string().optional().describe('ISO-8601 instant of the first of several small steps'),
    person: Person.optional().describe('Absent when nobody had to do it'),
    client: Client.optional().describe('Absent when unknown'),
    revision: z.int().optional().describe('Number of the revision it made, see getRevision'),
    changed: z.array(z.enum(changes)).optional().describe('What an edit changed'),
    scheduledAt: z.string().optional().describe('ISO-8601 instant for which it was scheduled'),
    action: z.string().optional().describe('What an agent asked for'),
    reason: z.string().optional().describe('Why a person rejected the request, in their words'),
    alts: z
      .array(z.object({ before: z.string().describe('What it was'), alt: z.string().describe('What it became') }))
      .optional()
      .describe('Alternative texts that the person who approved it changed first'),
    accounts: z
      .object({
        out: z.int().describe('Those that have it'),
        uncertain: z.int().optional().describe('Those that may have it'),
        all: z.int().describe('Those it is for'),
      })
      .optional()
      .describe('How many accounts have the post after publishing, of how many'),
  })
  .meta({ id: 'HistoryEntry', description: 'One entry in the history of a post' });
export type HistoryEntry = z.output<typeof HistoryEntry>;

const Content = Post.pick({ accountIds: true, versions: true });

export const Revision = Content.extend({
  number: z.int().describe('Counts the changes of this post'),
  before: Content.optional().describe('What the change began with; absent for the oldest stored text'),
  media: z.array(MediaItem).describe('The files of both that are still in the library'),
}).meta({ id: 'Revision', description: 'What a post was after a change' });
export type Revision = z.output<typeof Revision>;

export const historyRoutes = {
  listChanges: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/changes',
    tag: 'posts',
    summary: 'Read the history of a post',
    description:
      'Who did what to it, when and from which client, newest first. Small steps of one person with one client are one entry. Old texts of a post that is changed often are dropped.',
    roles: everyone,
    params: byId('Post id'),
    answer: z.object({ entries: z.array(HistoryEntry).describe('The newest first') }),
    more: ['NotFound'],
  }),

  getRevision: appRoute({
    method: 'GET',
    path: '/api/app/posts/:id/changes/:number',
    tag: 'posts',
    summary: 'Read an earlier text of a post',
    description: 'The post after one change, and before it. To restore it, send it with posts.update.',
    roles: everyone,
    params: byId('Post id').extend({
      number: z
        .string()
        .regex(/^\d{1,9}$/, 'must be a number')
        .describe('`revision` of an entry of listChanges'),
    }),
    answer: Revision,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type HistoryRoutes = typeof historyRoutes;
