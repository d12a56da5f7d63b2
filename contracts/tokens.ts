import { z } from 'zod';
import { appRoute, byId, CanonicalInstant, Done, Name, type Route } from './define.ts';
import { Membership } from './people.ts';
import { everyone } from './scopes.ts';

export const ClientName = z.string().describe('Name that the client gives itself');
export const ClientHost = z
  .string()
  .optional()
  .describe('Where the client published its document; absent when it published none');

const LastUsedAt = z.string().optional().describe('ISO-8601 instant, to the minute; absent before the first use');

export const Token = z
  .object({
    id: z.string().describe('Token id, prefix `tok_`'),
    name: z.string().describe('What it is for, as its owner wrote it'),
    createdAt: CanonicalInstant,
    lastUsedAt: LastUsedAt,
    workspace: Membership.pick({ id: true, name: true }).describe('The one it acts in'),
  })
  .meta({ id: 'Token', description: 'A personal API token. Its secret is never listed' });

export const ConnectedClient = z
  .object({
    id: z.string().describe('Id of its access, prefix `cli_`'),
    name: ClientName,
    clientId: z
      .string()
      .describe('The id that it signs in with: the address of its document, or one that was registered'),
    host: ClientHost,
    scopes: z.array(z.string()).describe('What the user granted, such as `posts:read`'),
    since: CanonicalInstant,
    lastUsedAt: LastUsedAt,
  })
  .meta({ id: 'ConnectedClient', description: 'An MCP client that acts for the user' });

export const OpenSession = z
  .object({
    id: z.string().describe('Session id, prefix `ses_`'),
    since: CanonicalInstant,
    lastSeenAt: z.string().describe('ISO-8601 instant, to five minutes'),
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
    summary: 'Create a token',
    description: 'A personal token that acts as you in the open workspace. `token` is shown only this once.',
    roles: everyone,
    body: z.strictObject({ name: Name.describe('What it is for') }),
    idempotent: {
      onRepeat: 'This token exists already, and its secret is shown only once. Revoke it, then create a new one.',
    },
    answer: Token.extend({ token: z.string().describe('The secret; store it now') }).meta({
      id: 'NewToken',
      description: 'A token with its secret',
    }),
    more: ['Conflict'],
  }),

  revokeToken: appRoute({
    method: 'DELETE',
    path: '/api/auth/tokens/:id',
    tag: 'Tokens',
    summary: 'Revoke a token',
    description: 'It stops working at once, whichever workspace it is for.',
    params: byId('Token id'),
    answer: Done,
    more: ['NotFound'],
  }),

  listClients: appRoute({
    method: 'GET',
    path: '/api/app/clients',
    tag: 'Clients',
    summary: 'List connected clients',
    description: 'The MCP clients that may act for you, with their scopes and last use.',
    answer: z.object({ clients: z.array(ConnectedClient).describe('The newest first') }),
  }),

  endClient: appRoute({
    method: 'DELETE',
    path: '/api/app/clients/:id',
    tag: 'Clients',
    summary: 'End the access of a client',
    description: 'At once, also for tokens that it has already. It can ask you again.',
    params: byId('`id` of the client, see listClients'),
    answer: Done,
    more: ['NotFound'],
  }),

  listSessions: appRoute({
    method: 'GET',
    path: '/api/app/sessions',
    tag: 'Session',
    summary: 'List your sessions',
    description: 'The browsers that you are signed in with, the last used first.',
    answer: z.object({ sessions: z.array(OpenSession).describe('The last used first') }),
  }),

  endSession: appRoute({
    method: 'DELETE',
    path: '/api/app/sessions/:id',
    tag: 'Session',
    summary: 'End a session',
    description: 'That browser is signed out at once.',
    params: byId('Session id'),
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type TokenRoutes = typeof tokenRoutes;
