import { type RawRoute, rawRoute } from './define.ts';

export const mcpPaths = {
  mcp: rawRoute({
    // The origin is looked at before the method, so the handler answers for every one.
    methods: 'Every',
    path: '/mcp',
    access: 'Own',
    handler: 'Own',
    description: 'The MCP endpoint.',
  }),

  describeMcp: rawRoute({
    methods: ['GET'],
    path: '/.well-known/oauth-protected-resource/mcp',
    access: 'Open',
    handler: 'Own',
    description: 'Where MCP clients get their tokens (RFC 9728).',
  }),

  describeForModels: rawRoute({
    methods: ['GET'],
    path: '/llms.txt',
    access: 'Open',
    handler: 'Own',
    description: 'A description of Posthorn for language models (llmstxt.org).',
  }),
} as const satisfies Record<string, RawRoute>;
