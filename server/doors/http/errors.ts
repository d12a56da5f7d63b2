import type { ErrorRequestHandler, RequestHandler } from 'express';
import type { Logger } from 'pino';
import { badInput, internal, Refusal } from '#server/base/errors';
import { createReport } from '#server/base/logging/report';
import { replyRefusal } from './reply.ts';

/** What the caller can be told about an error that no rule threw. */
export type DescribeError = (error: unknown) => Refusal | undefined;

/** The one place where errors become responses. */
export const answerErrors = (log: Logger, describe: DescribeError = () => undefined): ErrorRequestHandler => {
  const report = createReport(log, 'request failed');
  return (error: unknown, req, res, _next) => {
    const refusal = error instanceof Refusal ? error : (fromExpress(error) ?? describe(error) ?? internal());
    if (refusal.code === 'Internal') report(error, { requestId: req.requestId });
    if (refusal.retryAfterSeconds !== undefined) res.setHeader('retry-after', refusal.retryAfterSeconds);
    if (res.headersSent) res.destroy();
    else replyRefusal(res, refusal);
  };
};

/** Express throws errors with its own status for a path that it cannot decode and a body that it does not accept. */
const fromExpress = (error: unknown) => {
  const { status = 500 } = error as { status?: number };
  if (error instanceof URIError || status === 400)
    return badInput({ path: 'path', code: 'BadFormat', message: 'is not a valid URL path' });
  return status > 400 && status < 500
    ? badInput({ path: 'body', code: 'BadFormat', message: 'is too large, or not of a type that this path accepts' })
    : undefined;
};

export const noSuchPath: RequestHandler = (req) => {
  throw new Refusal('NotFound', `There is nothing at ${req.path.slice(0, 200)}. The paths are in /openapi.json.`);
};

export const wrongMethod =
  (...allowed: string[]): RequestHandler =>
  (req, res) => {
    res.setHeader('allow', allowed.join(', '));
    throw new Refusal('BadInput', `${req.method} is not possible here. Use ${allowed.join(' or ')}.`, [], 405);
  };
