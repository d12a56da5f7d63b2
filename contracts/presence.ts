import { z } from 'zod';
import { appRoute, byId, Person, type Route } from './define.ts';
import { everyone } from './scopes.ts';

export const presenceRoutes = {
  reportPresence: appRoute({
    method: 'POST',
    path: '/api/app/posts/:id/presence',
    tag: 'posts',
    summary: 'Report that a post is open',
    description:
      'A visible tab reports every 20 seconds, and once with `isOpen: false` when it closes or is hidden. A tab that has not reported for a minute counts as closed. No history is kept.',
    roles: everyone,
    params: byId('Post id'),
    body: z.strictObject({
      tab: z
        .string()
        .regex(/^[\w-]{1,40}$/)
        .describe('Distinguishes the tabs of one person; letters and digits'),
      isOpen: z.boolean().default(true).describe('False when the tab closes or is hidden'),
    }),
    answer: z.object({ people: z.array(Person).describe('Who has the post open now, by name; you too') }),
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type PresenceRoutes = typeof presenceRoutes;
