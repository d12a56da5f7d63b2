import { z } from 'zod';
import { type RawRoute, rawRoute } from './define.ts';

const jsonrpc = z.literal('2.0').describe('Always 2.0');

const McpMessage = z.looseObject({ jsonrpc, method: z.string().describe('Such as tools/list') }).meta({
  id: 'McpMessage',
  description: 'A JSON-RPC 2.0 message of MCP, with `id` and `params` as its method has them',
  examples: [{ jsonrpc: '2.0', id: 1, method: 'tools/list' }],
});

const McpResult = z.looseObject({ jsonrpc }).meta({
  id: 'McpResult',
  description: 'A JSON-RPC 2.0 answer: `id` of the message, and `result` or `error`',
  examples: [{ jsonrpc: '2.0', id: 1, result: { tools: [] } }],
});

const McpError = z
  .looseObject({
    jsonrpc,
    error: z.looseObject({ code: z.int().describe('As JSON-RPC and MCP number them') }).describe('What is wrong'),
  })
  .meta({
    id: 'McpError',
    description: 'A JSON-RPC 2.0 error, with `id` where the message had one',
    examples: [{ jsonrpc: '2.0', id: 1, error: { code: -32600, message: 'method must be a string.' } }],
  });

const ResourceMetadata = z
  .looseObject({
    resource: z.string().describe('Audience of the tokens'),
    authorization_servers: z.array(z.string()).describe('Who issues them'),
    scopes_supported: z.array(z.string()).describe('What they may allow'),
  })
  .meta({
    examples: [
      {
        resource: 'https://posts.example.com/mcp',
        authorization_servers: ['https://posts.example.com/auth'],
        scopes_supported: ['openid', 'posts:read'],
      },
    ],
  });

export const mcpPaths = {
  mcp: rawRoute({
    // The origin is looked at before the method, so the handler answers for every one.
    methods: 'Every',
    path: '/mcp',
    access: 'Own',
    handler: 'Own',
    description:
      'The MCP endpoint over Streamable HTTP: one message, one answer, no session and no stream; GET and DELETE answer 405. Takes a personal token, or an access token of the authorization server that `/.well-known/oauth-protected-resource/mcp` names.',
    operation: {
      method: 'POST',
      access: 'PersonalToken',
      tag: 'MCP',
      summary: 'Send a message of the Model Context Protocol',
      body: { contentType: 'application/json', schema: McpMessage },
      responses: {
        200: { description: 'The answer, or an error of the method', body: McpResult },
        202: { description: 'A notification, which has no answer' },
        400: { description: 'Not a message that this endpoint takes', body: McpError },
        404: { description: 'No such method (2026-07-28)', body: McpError },
      },
      errors: ['Unauthorized', 'Forbidden', 'TooManyRequests', 'Internal'],
    },
  }),

  describeMcp: rawRoute({
    methods: ['GET'],
    path: '/.well-known/oauth-protected-resource/mcp',
    access: 'Open',
    handler: 'Own',
    description: 'Where MCP clients get their tokens (RFC 9728).',
    operation: {
      method: 'GET',
      access: 'Open',
      tag: 'MCP',
      summary: 'Find the authorization server',
      responses: { 200: { description: 'Done', body: ResourceMetadata } },
      errors: ['BadInput'],
    },
  }),

  describeForModels: rawRoute({
    methods: ['GET'],
    path: '/llms.txt',
    access: 'Open',
    handler: 'Own',
    description: 'A description of Posthorn for language models (llmstxt.org).',
  }),
} as const satisfies Record<string, RawRoute>;
