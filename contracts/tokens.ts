import { z } from 'zod';
import { appRoute, ById, Done, Name, type Route } from './define.ts';
import { everyone } from './scopes.ts';

export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string().describe('ISO-8601 instant'),
    lastUsedAt: z.string().optional().describe('ISO-8601 instant, to the minute'),
    workspace: z.object({ id: z.string(), name: z.string() }).describe('The one it acts in'),
  })
  .meta({ id: 'Token', description: 'A personal API token. Its secret is never listed' });

export const ConnectedClient = z
  .object({
    id: z.string().describe('Prefix `cli_`'),
    name: z.string().describe('As the client calls itself'),
    clientId: z.string(),
    host: z.string().optional().describe('Where the client published its document; absent when it published none'),
    scopes: z.array(z.string()),
    since: z.string().describe('ISO-8601 instant'),
    lastUsedAt: z.string().optional().describe('ISO-8601 instant, to the minute'),
  })
  .meta({ id: 'ConnectedClient', description: 'An MCP client that acts for the user' });

export const OpenSession = z
  .object({
    id: z.string().describe('Prefix `ses_`'),
    since: z.string().describe('ISO-8601 instant'),
    lastSeenAt: z.string().describe('ISO-8601 instant, to the hour'),
    userAgent: z.string().describe('Such as `Firefox on Linux`'),
    current: z.boolean().describe('True for the browser that asks'),
  })
  .meta({ id: 'OpenSession', description: 'A browser that the user is signed in with' });

/** What acts for the signed-in user: tokens, MCP clients, browsers. */
export const tokenRoutes = {
  listTokens: appRoute({
    method: 'GET',
    path: '/api/auth/tokens',
    tag: 'Tokens',
    summary: 'List your tokens',
    description: 'Your personal tokens, of all workspaces. The secrets are never listed.',
    answer: z.array(Token),
  }),

  createToken: appRoute({
    method: 'POST',
    path: '/api/auth/tokens',
    tag: 'Tokens',
    summary: 'Make a token',
    description: 'A personal token that acts as you in the open workspace. `token` is shown only this once.',
    roles: everyone,
    body: z.strictObject({ name: Name.describe('What it is for') }),
    answer: Token.extend({ token: z.string().describe('The secret; keep it now') }).meta({ id: 'NewToken' }),
  }),

  revokeToken: appRoute({
    method: 'DELETE',
    path: '/api/auth/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'It stops working at once, whichever workspace it is for.',
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),

  listClients: appRoute({
    method: 'GET',
    path: '/api/app/clients',
    tag: 'Clients',
    summary: 'List connected clients',
    description: 'The MCP clients that may act for you, with what they may do and when they last did.',
    answer: z.object({ clients: z.array(ConnectedClient) }),
  }),

  endClient: appRoute({
    method: 'DELETE',
    path: '/api/app/clients/:id',
    tag: 'Clients',
    summary: 'End the access of a client',
    description: 'At once, also for tokens that it has already. It can ask you again.',
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),

  listSessions: appRoute({
    method: 'GET',
    path: '/api/app/sessions',
    tag: 'Session',
    summary: 'List your sessions',
    description: 'The browsers that you are signed in with, the last used first.',
    answer: z.object({ sessions: z.array(OpenSession) }),
  }),

  endSession: appRoute({
    method: 'DELETE',
    path: '/api/app/sessions/:id',
    tag: 'Session',
    summary: 'End a session',
    description: 'That browser is signed out at once.',
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type TokenRoutes = typeof tokenRoutes;
