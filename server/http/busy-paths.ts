import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';

/** Handlers of POST by path. A path may end with a parameter. */
export type BusyPaths = Readonly<Record<string, RequestHandler<{ action: string }>>>;
/** False, and nothing done, for a request that is not for it. */
export type BusyDoor = (req: IncomingMessage, res: ServerResponse) => boolean;

type BusyRequest = Request<Record<string, string>>;
type BusyHandler = RequestHandler<Record<string, string>>;

/** Whatever else may stand there is left to Express. */
const plainName = /^[\w.-]{1,100}$/;

/**
 * Serves POST requests to these paths without Express, which would look through its paths for each of them and wrap each of
 * its steps. Unusual ways to write these paths are left to Express, which has them too.
 */
export const createBusyDoor = (
  paths: BusyPaths,
  /** What every request goes through first. None of it answers a POST. */
  steps: readonly RequestHandler[],
  answerError: ErrorRequestHandler,
): BusyDoor => {
  const whole = new Map<string, BusyHandler>();
  const byStart = new Map<string, { param: string; handler: BusyHandler }>();
  for (const [path, handler] of Object.entries(paths) as unknown as [string, BusyHandler][]) {
    const [start = '', param] = path.split(':');
    if (param === undefined) whole.set(path, handler);
    else byStart.set(start, { param, handler });
  }

  const find = (req: BusyRequest) => {
    const { url } = req;
    const handler = whole.get(url);
    if (handler) return handler;
    const end = url.lastIndexOf('/') + 1;
    const found = byStart.get(url.slice(0, end));
    const name = url.slice(end);
    if (found === undefined || !plainName.test(name)) return undefined;
    req.params = { [found.param]: name };
    return found.handler;
  };

  const serve = async (handler: BusyHandler, req: BusyRequest, res: Response) => {
    for (const step of steps) step(req as unknown as Request, res, goOn);
    await handler(req, res, goOn);
  };

  return (req, res) => {
    if (req.method !== 'POST') return false;
    // They are made by `serverFor`, and are Express's own.
    const handler = find(req as BusyRequest);
    if (handler === undefined) return false;
    serve(handler, req as BusyRequest, res as Response)
      .catch((error: unknown) => answerError(error, req as Request, res as Response, goOn))
      // An answer that has begun cannot become another one.
      .catch(() => res.destroy());
    return true;
  };
};

const goOn = () => undefined;
