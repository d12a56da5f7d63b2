import type { ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { countRefused, mustHaveSender, type RunnableAction } from '#server/agents/admission';
import type { RunForAgent } from '#server/agents/approvals/run-for-agent';
import type { Caller } from '#server/base/context';
import { badInput, Refusal } from '#server/base/errors';
import { createReport } from '#server/base/logging/report';
import { readAnyJson } from '#server/doors/http/body';
import { wrongMethod } from '#server/doors/http/errors';
import { type Limit, receive } from '#server/doors/http/receive';
import { reply } from '#server/doors/http/reply';
import type { MediaLibrary } from '#server/media/library';
import type { Reading } from '#server/writing/posts/reading';
import { bearerOf, Challenge, createAuthorization } from './authorization.ts';
import type { SummaryContext } from './describe-summary.ts';
import { createMethods, type McpCaller } from './methods.ts';
import { errorText, type Id, idOf, ProtocolError, readMessage, resultText } from './protocol.ts';
import { createTools, type McpTool } from './tools.ts';

export interface McpParts {
  readonly baseUrl: string;
  readonly authUrl: string;
  /** Of Posthorn, for serverInfo. */
  readonly version: string;
  readonly actions: ReadonlyMap<string, RunnableAction>;
  readonly tools: readonly McpTool[];
  readonly authorize: (bearer: string) => Promise<McpCaller | undefined>;
  readonly runForAgent: RunForAgent;
  readonly findDuplicate: Reading['findDuplicate'];
  readonly readPictures: MediaLibrary['readPictures'];
  readonly readSummaryContext: (caller: Caller) => Promise<SummaryContext>;
  readonly rateLimit: Limit;
  readonly log: Logger;
}

/** `/mcp` (SPEC, MCP endpoint): no session and no stream, so one JSON message in is one JSON answer out. */
export const createMcpEndpoint = ({ baseUrl, authUrl, authorize, rateLimit, log, ...parts }: McpParts) => {
  const report = createReport(log, 'mcp request failed');
  const ownOrigin = new URL(baseUrl).origin;
  const refuseMethod = wrongMethod('POST');
  const authorization = createAuthorization({ baseUrl, authUrl });
  const answer = createMethods({ ...parts, baseUrl, authorization, tools: createTools(parts.tools, parts.actions) });

  const identify = async (req: Request, res: Response, limit: Limit) => {
    const bearer = bearerOf(req.headers.authorization);
    const request = { rateLimit: limit, address: req.ip, res };
    const access = bearer === undefined ? undefined : await authorize(bearer).catch(countRefused(request, bearer));
    return mustHaveSender(request, access, access?.rateKey, () => authorization.wrongToken(req.headers.authorization));
  };

  const fault = (err: unknown, { requestId }: Request) => {
    report(err, { requestId });
    const message = `Something went wrong on the server. Try again later and quote the x-request-id ${requestId}.`;
    return new ProtocolError('internal', message, 200);
  };

  const handle = async (req: Request, res: Response) => {
    const { sender: mcpCaller, body } = await receive(req, rateLimit, (limit) => identify(req, res, limit), {
      read: () => readAnyJson(req).catch((unreadable: unknown) => ({ unreadable })),
    });
    let id: Id | undefined;
    try {
      if ('unreadable' in body) return notReadable(body.unreadable);
      const { value, refusal } = body;
      id = idOf(value);
      const badArguments = refusal && inArguments(refusal);
      if (refusal && !badArguments) notReadable(refusal);
      const message = readMessage(value, req.headers);
      if (id === undefined) send(res, 202, '');
      else send(res, 200, resultText(id, await answer(message, mcpCaller, req, badArguments)));
    } catch (error) {
      if (error instanceof Challenge) throw error;
      const refused = error instanceof ProtocolError ? error : fault(error, req);
      send(res, refused.status, errorText(id, refused));
    }
  };

  return {
    /** For every method of `/mcp`. Refusals before a message could be read have the service's own error shape. */
    serve: async (req: Request, res: Response, next: NextFunction) => {
      const { origin } = req.headers;
      // SPEC, Origin check: as text, unlike other refusals.
      if (origin !== undefined && origin !== ownOrigin) send(res, 403, 'Origin not allowed', 'text/plain');
      else if (req.method !== 'POST') refuseMethod(req, res, next);
      else
        await handle(req, res).catch((error: unknown) => {
          if (error instanceof Challenge) res.setHeader('www-authenticate', error.header);
          throw error;
        });
    },

    /** Where clients get their tokens. */
    describe: (_req: Request, res: Response) => reply(res, 200, authorization.metadata),
  };
};

const send = (res: ServerResponse, status: number, text: string, type = 'application/json') => {
  const length = Buffer.byteLength(text);
  res.writeHead(status, length === 0 ? { 'content-length': 0 } : { 'content-type': type, 'content-length': length });
  res.end(text);
};

/** A body that is not JSON is a parse error; JSON that we do not accept is a bad request. */
const notReadable = (error: unknown): never => {
  if (!(error instanceof Refusal)) throw error;
  const {
    message,
    issues: [issue],
  } = error;
  const isParseError = issue?.code === 'BadFormat' && issue.path === 'body';
  throw new ProtocolError(isParseError ? 'parse' : 'request', message, 400);
};

const argumentsPath = 'params.arguments';

/** The model wrote the arguments of a tool, so an error inside them is a tool result that the model reads. */
const inArguments = ({ issues: [issue] }: Refusal) =>
  issue?.path.startsWith(argumentsPath)
    ? badInput({ ...issue, path: issue.path.slice(argumentsPath.length + 1) || 'arguments' })
    : undefined;
