import { z } from 'zod';
import { action, Empty, Id, type RawRoute, rawRoute } from './define.ts';
import { everyone } from './scopes.ts';

export const UiContext = z
  .object({
    page: z.string().optional().describe('Page the user has open, such as `/posts/post_…`; absent when no tab is open'),
    postId: z.string().optional().describe('Post that is open'),
    accountId: z.string().optional().describe('Version tab that is open; absent on the original version'),
    updatedAt: z.string().optional().describe('ISO-8601 instant of the last report'),
  })
  .meta({ id: 'UiContext', description: 'What the user is looking at in the web app' });
export type UiContext = z.output<typeof UiContext>;

const example: UiContext = {
  page: '/posts/post_01JCQ4B2C3D4E5F6G7H8J9K0M1',
  postId: 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1',
  updatedAt: '2026-11-15T09:30:00.000000Z',
};

export const uiActions = {
  'ui.getContext': action({
    kind: 'ReadOnly',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Never',
    summary: 'See what the user is looking at',
    description: 'Page, open post and version tab the user has open in the web app. Empty when no tab has reported.',
    input: Empty,
    output: UiContext,
    errors: [],
    examples: [{ title: 'A post is open', input: {}, output: example }],
  }),

  'ui.setContext': action({
    kind: 'Write',
    scope: 'posts:read',
    roles: everyone,
    mcp: 'Never',
    appOnly: true,
    summary: 'Report the open page',
    description: 'Used by the web app to report the page the user has open, for ui.getContext.',
    input: z.strictObject({
      page: z.string().max(500).describe('Path of the open page'),
      postId: Id.optional().describe('Post that is open'),
      accountId: Id.optional().describe('Version tab that is open'),
    }),
    output: UiContext,
    errors: [],
    examples: [
      {
        title: 'A post is open',
        input: { page: '/posts/post_01JCQ4B2C3D4E5F6G7H8J9K0M1', postId: 'post_01JCQ4B2C3D4E5F6G7H8J9K0M1' },
        output: example,
      },
    ],
  }),
};

export const uiPaths = {
  liveEvents: rawRoute({
    methods: ['GET'],
    path: '/api/app/events',
    access: 'Session',
    roles: everyone,
    handler: 'Own',
    description: 'Server-sent events for open tabs.',
  }),
} as const satisfies Record<string, RawRoute>;
