import { z } from 'zod';
import { appRoute, Done, type Route } from './define.ts';
import { admins, everyone } from './scopes.ts';

export const sandboxRoutes = {
  readSandboxClock: appRoute({
    method: 'GET',
    path: '/api/app/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Read the clock',
    description: 'The time that Posthorn goes by. Outside production it can be ahead of the true one.',
    roles: everyone,
    answer: z.object({ now: z.string().describe('ISO-8601 instant') }),
  }),

  moveSandboxClock: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/clock',
    tag: 'Sandbox',
    summary: 'Move the clock forward',
    description:
      'For the whole deployment, forward only, and not in production: what is due in thirty days can be watched in a minute.',
    roles: ['owner'],
    body: z.strictObject({ forwardMs: z.coerce.number<number | string>().int().min(1) }),
    answer: z.object({ now: z.string().describe('ISO-8601 instant') }),
  }),

  planSandboxFault: appRoute({
    method: 'POST',
    path: '/api/app/sandbox/faults',
    tag: 'Sandbox',
    summary: 'Let a sandbox network misbehave',
    description: 'The next calls of one kind go wrong in a chosen way. Not in production.',
    roles: admins,
    body: z.strictObject({
      network: z.string().max(50),
      moment: z
        .enum(['upload', 'publish', 'read'])
        .describe('While media come in, when a post is sent, when numbers are read'),
      fault: z.string().max(50).describe('Such as `429`, `lost` or `expired-token`; empty takes it back'),
      times: z.coerce.number<number | string>().int().min(1).max(1000).default(1),
    }),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type SandboxRoutes = typeof sandboxRoutes;
