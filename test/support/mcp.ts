import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { pino } from 'pino';
import { mcpPaths } from '#contracts/mcp';
import { type Scope, scopes } from '#contracts/scopes';
import { actions } from '#generated/catalog';
import { mcpTools } from '#generated/mcp-tools';
import { createRateLimits } from '#server/access/auth/rate-limit';
import type { ApprovalCards, ApprovalRequest } from '#server/agents/approvals/cards';
import { createRunForAgent } from '#server/agents/approvals/run-for-agent';
import { createRunOrAsk } from '#server/agents/run-or-ask';
import { answerErrors } from '#server/doors/http/errors';
import { tagRequest } from '#server/doors/http/request';
import { createHttpServer } from '#server/doors/http/server';
import { createMcpEndpoint, type McpParts } from '#server/doors/mcp/endpoint';
import type { Answer, Service } from './service.ts';

export const modern = '2026-07-28';
export const legacy = ['2025-11-25', '2025-06-18', '2025-03-26'];
export const versions = [modern, ...legacy];

export const allScopes = new Set(Object.keys(scopes) as Scope[]);

/** Only the MCP endpoint, in front of a service. A test can use any kind of token, and sees every approval request. */
export const openMcpDoor = async (
  service: Pick<Service, 'posthorn' | 'token' | 'clock'>,
  {
    perMinute = 1_000_000,
    requestApproval,
    ...overrides
  }: Partial<McpParts> & { perMinute?: number; requestApproval?: ApprovalCards['request'] } = {},
) => {
  const approvalRequests: ApprovalRequest[] = [];
  const request: ApprovalCards['request'] = async (request) => {
    approvalRequests.push(request);
    return {
      cardId: `card_${approvalRequests.length}`,
      action: request.action,
      status: 'Open',
      asks: 'Publish this post now. It is for X (posthorn).',
      approvalUrl: `http://posthorn.test/approvals/card_${approvalRequests.length}`,
      createdAt: '2026-11-15T09:30:00.000000Z',
      expiresAt: '2026-11-22T09:30:00.000000Z',
      again: false,
    };
  };
  const runOrAsk = createRunOrAsk({
    cards: { request: requestApproval ?? request },
    approvers: { list: async () => [], lock: async () => true },
  });
  const limited = new Map<string, { scopes: Scope[]; statisticsTools?: boolean }>();
  const logLines: string[] = [];
  const log = pino({}, { write: (line: string) => logLines.push(line) });
  const mcp = createMcpEndpoint({
    baseUrl: 'http://posthorn.test',
    authUrl: 'http://posthorn.test/auth',
    version: '0.0.0-test',
    actions: service.posthorn.actions,
    tools: mcpTools,
    authorize: async (bearer) => {
      const rights = limited.get(bearer);
      const access = await service.posthorn.tokens.check(rights ? service.token : bearer);
      return (
        access && {
          caller: access.caller,
          rateKey: rights ? bearer : access.tokenId,
          scopes: rights ? new Set(rights.scopes) : allScopes,
          statisticsTools: rights?.statisticsTools ?? false,
        }
      );
    },
    runForAgent: createRunForAgent({
      runOrAsk,
      cards: { about: async () => [], deletionOf: async () => undefined },
    }),
    findDuplicate: async () => undefined,
    readPictures: async () => [],
    readSummaryContext: async () => ({ accounts: [], limits: [] }),
    rateLimit: createRateLimits({
      store: { add: async () => [], purge: async () => 0 },
      clock: service.clock,
    }).create({ name: 'api', limit: perMinute, windowMs: 60_000 }),
    log,
    ...overrides,
  });
  const app = express().disable('etag').disable('x-powered-by');
  app.use(tagRequest({ https: false }));
  app.all('/mcp', mcp.serve);
  app.get(mcpPaths.describeMcp.path, mcp.describe);
  app.use(answerErrors(log));
  const server = createHttpServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    url,
    approvalRequests,
    logLines,

    /** A token with these scopes, as the identity provider would give to a client. */
    tokenWith: (scopes: Scope[], statisticsTools = false) => {
      const token = `limited-${limited.size + 1}`;
      limited.set(token, { scopes, statisticsTools });
      return token;
    },

    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

export interface CallOptions {
  token?: string;
  id?: unknown;
  meta?: Record<string, unknown>;
  /** Added to the headers of the version; undefined removes one. */
  headers?: Record<string, string | undefined>;
}

/** A client that follows one version exactly, except where a test deviates from it. */
export const speak = (url: string, token: string, version: string) => {
  const ask = (method: string, params: Record<string, unknown> = {}, options: CallOptions = {}) => {
    const meta = { ...(version === modern && envelope(version)), ...options.meta };
    const id = 'id' in options ? options.id : 1;
    return post(
      url,
      { jsonrpc: '2.0', id, method, params: Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params },
      {
        authorization: `Bearer ${options.token ?? token}`,
        ...versionHeaders(version, method, params.name),
        ...options.headers,
      },
    );
  };
  return {
    version,
    ask,
    call: (name: string, args: unknown = {}, options: CallOptions = {}) =>
      ask('tools/call', { name, arguments: args }, options),
  };
};

export const envelope = (version: string) => ({
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'probe', title: 'Probe Client', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

export const versionHeaders = (version: string, method: string, name?: unknown): Record<string, string> => {
  if (version === '2025-03-26') return {};
  if (version !== modern) return { 'mcp-protocol-version': version };
  const named = typeof name === 'string' ? { 'mcp-name': name } : {};
  return { 'mcp-protocol-version': version, 'mcp-method': method, ...named };
};

/** Sends any body to `/mcp`. */
export const post = async (
  url: string,
  body: unknown,
  headers: Record<string, string | undefined> = {},
  method = 'POST',
): Promise<Answer> => {
  const allHeaders = Object.entries({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  });
  const response = await fetch(`${url}/mcp`, {
    method,
    headers: allHeaders.filter((entry): entry is [string, string] => entry[1] !== undefined),
    body: method === 'GET' ? null : body instanceof Blob || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
};

/** The tools with the input of their contract's first example, with ids of existing records. */
export const workingCalls = ({ accountId, postId }: { accountId: string; postId: string }) =>
  mcpTools.map(({ action, listing, tool }) => {
    const { kind, examples } = actions[action];
    const text = JSON.stringify(examples[0]?.input)
      .replaceAll(/acct_\w+/g, accountId)
      .replaceAll(/post_\w+/g, postId);
    const { baseUpdatedAt: _, ...input } = JSON.parse(text);
    if ('at' in input) input.at = '2126-11-16T08:00:00Z';
    return { action, name: tool.name, listing, kind, input };
  });
