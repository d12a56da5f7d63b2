import { z } from 'zod';
import { appRoute, ById, Done, Name, type Route } from './define.ts';
import { everyone } from './scopes.ts';

export const Token = z
  .object({
    id: z.string(),
    name: z.string(),
    createdAt: z.string().describe('ISO-8601 instant'),
    lastUsedAt: z.string().optional().describe('ISO-8601 instant, to the minute'),
  })
  .meta({ id: 'Token', description: 'A personal API token. Its secret is never listed' });

export const tokenRoutes = {
  listTokens: appRoute({
    method: 'GET',
    path: '/api/auth/tokens',
    tag: 'Tokens',
    summary: 'List your tokens',
    description: 'Your personal tokens in the open workspace. The secrets are never listed.',
    roles: everyone,
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
    description: 'It stops working at once.',
    roles: everyone,
    params: ById,
    answer: Done,
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type TokenRoutes = typeof tokenRoutes;
