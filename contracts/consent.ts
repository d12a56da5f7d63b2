import { z } from 'zod';
import { appRoute, byId, type Route } from './define.ts';
import { ClientHost, ClientName } from './tokens.ts';

export const ConsentQuestion = z
  .object({
    client: z.object({ name: ClientName, host: ClientHost }).describe('Who asks'),
    leadsTo: z.string().describe('Host that the person is sent to with the answer'),
    onThisComputer: z
      .boolean()
      .describe('The client runs on the computer of the person, so any program could pretend to be it'),
    scopes: z
      .array(
        z.object({
          scope: z.string().describe('Such as `posts:read`'),
          words: z.string().describe('What it allows'),
        }),
      )
      .describe('What it asks for; the person may grant fewer'),
    email: z.string().describe('Who is signed in'),
    workspace: z.string().optional().describe('Where the client will act: the workspace that was opened last'),
  })
  .meta({ id: 'ConsentQuestion', description: 'An MCP client asks to act for the signed-in person' });
export type ConsentQuestion = z.output<typeof ConsentQuestion>;

/** Below the path that the cookie of the question is for: another browser has neither. */
export const consentRoutes = {
  readConsent: appRoute({
    method: 'GET',
    path: '/auth/interaction/:id/question',
    tag: 'Clients',
    summary: 'Read what a client asks for',
    description: 'In the browser that the client sent here, for the person who is signed in.',
    params: byId('Id of the question, from the address of the page'),
    answer: ConsentQuestion,
    more: ['NotFound'],
  }),

  decideConsent: appRoute({
    method: 'POST',
    path: '/auth/interaction/:id/answer',
    tag: 'Clients',
    summary: 'Allow or refuse a client',
    description: 'Returns the address that leads back to the client. Granting no scope is a refusal.',
    params: byId('Id of the question, from the address of the page'),
    body: z.strictObject({
      approve: z.boolean().describe('False refuses, whatever `scopes` has'),
      scopes: z.array(z.string().max(100)).max(20).default([]).describe('The scopes that are granted'),
    }),
    answer: z.object({ next: z.string().describe('Address to open next') }),
    more: ['NotFound'],
  }),
} as const satisfies Record<string, Route>;
export type ConsentRoutes = typeof consentRoutes;
